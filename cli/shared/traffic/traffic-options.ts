import { integer } from '../arguments.ts'
import { command, common } from '../common-options.ts'

/** A command about what others send to a target. */
const trafficCommand = (name: string, description: string) =>
  command(name, description)
    .option('--target <file>', 'the target file (default: ./plumbline.yaml, unless there is an address)')
    .addOption(common.pods)
    .addOption(common.queue)
    .addOption(common.lb)
    .addOption(common.management)
    .addOption(common.out)
    .addOption(common.format)
    .addOption(common.quiet)

export const judge = () =>
  trafficCommand('judge', 'judge the requests and responses of a HAR file by the rules about every exchange').argument(
    '<file>',
    'a HAR file, such as a browser exports; - for the standard input',
  )

export const proxy = () =>
  trafficCommand('proxy', 'forward requests to a target, and judge its responses and the client until Ctrl-C')
    .option(
      '--port <number>',
      'the first port; each further host of the target has the next one',
      integer(0, 65_535),
      8090,
    )
    .option('--har <file>', 'also write the traffic into this file, as a HAR; secrets are masked as in the record')

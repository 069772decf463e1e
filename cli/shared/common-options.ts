import { formatNames } from '../../reports/format-names.ts'
import { Command, factor, gather, integer, lengthOfTime, Option, price } from './arguments.ts'

/** A command that takes no other arguments than its own. */
export const command = (name: string, description: string) =>
  new Command(name).description(description).allowExcessArguments(false)

const repeated = <Flags extends string>(flags: Flags, description: string) =>
  new Option(flags, description).argParser(gather).default([])

/** Options that several commands have. */
export const common = {
  target: new Option('--target <file>', 'the target file (default: ./plumbline.yaml)'),
  reference: new Option('--reference', 'the built-in reference instead of a target')
    .default(false)
    .conflicts(['keep', 'maxCost', 'maxPods', 'start', 'wait']),
  only: repeated('--only <pattern>', 'rules: an id, a glob such as "queue.*", or an area; can be repeated'),
  onlyVariants: repeated('--only <pattern>', 'defects, latitudes, or rules (ids, globs, areas); can be repeated'),
  out: new Option('--out <folder>', 'write results.json, junit.xml, report.html and the record into this folder'),
  format: repeated('--format <format[=file]>', `report as ${formatNames.join(', ')}; can be repeated`),
  rules: new Option('--rules <folder>', 'also the rules of this folder (docs/library.md)'),
  quiet: new Option('--quiet', 'print only the verdict').default(false),
  budget: new Option(
    '--budget <length>',
    'leave out rules that take longer (default: 10m in real time, 30m on a controlled clock)',
  ).argParser(lengthOfTime),
  seed: new Option('--seed <number>', 'the order and the random choices of an earlier run').argParser(integer(0)),
  maxCost: new Option('--max-cost <usd>', 'refuse a run that may cost more, and end one that does').argParser(price),
  pods: new Option('--pods <url>', 'base address of the pod API'),
  queue: new Option('--queue <url>', 'base address of the queue-based endpoints'),
  lb: new Option('--lb <url>', 'address of a load-balanced endpoint'),
  management: new Option('--management <url>', 'base address of endpoint management'),
  owned: new Option('--i-own-this <host>', 'load this host, which is not this machine, if its owner permits it'),
  maxRequests: new Option('--max-requests <number>', 'refuse a larger load (default: 200000)').argParser(integer(0)),
  maxSeconds: new Option('--max-seconds <number>', 'refuse a longer load (default: 3600)').argParser(integer(0)),
  windowScale: new Option(
    '--window-scale <factor>',
    'the --window-scale of the plumbline serve that is loaded',
  ).argParser(factor),
}

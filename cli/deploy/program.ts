import { createWriteStream, rmSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { CommanderError } from 'commander'
import {
  createTool,
  defaultTool,
  packed,
  type Tool,
  type ToolOptions,
  ToolRefusal,
} from '../../reference/deploy/index.ts'
import { suggestion } from '../../target-file/nearest.ts'
import { Command, refuseRepeats } from '../shared/arguments.ts'
import { version } from '../shared/package-paths.ts'
import type { Terminal } from '../shared/terminal.ts'
import { hostOf } from './api.ts'
import { readSource } from './source.ts'

/** Runs the deployment tool of the reference; returns the exit code: 0, 1 for a refusal, 2 for a wrong command line. */
export async function runTool(words: readonly string[], terminal: Terminal): Promise<number> {
  const program = new Command('plumbline-deploy')
    .description('The deployment tool of the reference: packs a project and creates its endpoints.')
    .version(version(), '-v, --version')
    .exitOverride()
    .option('--defect <id>', 'behave as a defect of the proof')
    .configureOutput({
      writeOut: (text) => terminal.out(text.trimEnd()),
      writeErr: (text) => terminal.err(text.trimEnd()),
      outputError: (text, write) => write(`plumbline-deploy: ${text.replace(/^error: /, '')}`),
    })
  const withTool = async (work: (tool: Tool, options: ToolOptions) => Promise<void>) => {
    const options = await optionsOf(program.opts().defect)
    const tool = createTool(hostOf(terminal.environment), options)
    try {
      await work(tool, options)
    } catch (error) {
      if (error instanceof ToolRefusal) throw new ToolRefusal(tool.says(error))
      throw error
    }
  }
  program
    .command('build <folder>')
    .description('write the package of a project')
    .requiredOption('--out <file>', 'the package to write')
    .action((folder, { out }) =>
      withTool(async (tool, options) => write(packed(tool.contents(readSource(folder)), options), out)),
    )
  program
    .command('deploy <folder>')
    .description('pack a project and create its endpoints')
    .action((folder) =>
      withTool(async (tool, options) => {
        const source = readSource(folder)
        const pack = () => drain(packed(tool.contents(source), options))
        for (const name of await tool.deploy(source.project, pack)) terminal.out(name)
      }),
    )
  program
    .command('list')
    .description('print all endpoints as a JSON array')
    .action(() => withTool(async (tool) => terminal.out(JSON.stringify(await tool.list()))))
  program
    .command('remove <name>')
    .description('remove the endpoint of a name')
    .action((name) => withTool((tool) => tool.remove(name)))
  program
    .command('call <from> <to>')
    .description('let an endpoint call a peer, and print how often it has looked up the address')
    .action((from, to) =>
      withTool(async (tool) => terminal.out(JSON.stringify({ lookups: await tool.call(from, to) }))),
    )
  for (const one of [program, ...program.commands]) refuseRepeats(one)
  try {
    await program.parseAsync(words, { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    if (!(error instanceof ToolRefusal)) throw error
    if (error.message !== '') terminal.err(`plumbline-deploy: ${error.message}`)
    return 1
  }
}

/** The options of the tool with a defect of the proof. Throws ToolRefusal if no defect of the tool has this id. */
async function optionsOf(id: string | undefined): Promise<ToolOptions> {
  if (id === undefined) return defaultTool
  const { deploy } = await import('../../proof/defects/deploy.ts')
  const ofTool = deploy.filter(({ tool }) => tool !== undefined)
  const defect = ofTool.find((one) => one.id === id)
  if (defect?.tool !== undefined) return defect.tool(defaultTool)
  throw new ToolRefusal(
    `unknown defect "${id}"${suggestion(
      id,
      ofTool.map((one) => one.id),
    )}`,
  )
}

/** Writes a package; leaves no part of one that is refused. */
async function write(chunks: AsyncIterable<Uint8Array>, file: string): Promise<void> {
  try {
    await pipeline(chunks, createWriteStream(file))
  } catch (error) {
    rmSync(file, { force: true })
    throw error
  }
}

/** Packs without keeping anything: the API takes no package. */
async function drain(chunks: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of chunks);
}

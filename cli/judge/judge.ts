import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { quote } from 'shell-quote'
import { stringify } from 'yaml'
import { examplePrefix } from '../../target/secrets.ts'
import type { Target } from '../../target/types.ts'
import { parseTarget } from '../../target-file/load.ts'
import { type HarEntry, InvalidHar, readHar } from '../../traffic/har.ts'
import { UsageError } from '../shared/errors.ts'
import type * as commands from '../shared/options.ts'
import { codeOf } from '../shared/output-folders.ts'
import { readTarget, withTarget } from '../shared/target.ts'
import type { Terminal } from '../shared/terminal.ts'
import { judgeTraffic } from '../shared/traffic.ts'

type Options = commands.OptionsOf<typeof commands.judge>

/** Judges the entries of a HAR. Returns the exit code. */
export async function judge(file: string, given: Options, terminal: Terminal): Promise<number> {
  const options = hasAddress(given) ? given : withTarget(given, terminal)
  const target = options.target === undefined ? targetOf(options) : await readTarget(options.target, terminal)
  const entries = entriesOf(file, terminal).toSorted((a, b) => a.receivedMs - b.receivedMs)
  const choice = {
    ...{
      target,
      targetFile: options.target ?? null,
      judgesClient: false,
      quiet: options.quiet,
      format: options.format,
    },
    command: ['judge', file, ...wordsOf(options)].map(quoted).join(' '),
    ...(options.out !== undefined && { out: options.out }),
  }
  const startedMs = Math.min(...entries.map(({ sentMs }) => sentMs))
  return judgeTraffic(choice, startedMs, terminal, async ({ take }) => {
    for (const entry of entries) {
      const { request, response, n, sentMs, receivedMs, lacksBody, unjudged } = entry
      if (unjudged !== null) continue
      const failure = response === null ? 'the HAR has no response' : null
      take({ n, request, response, failure, sentMs, receivedMs, ...(lacksBody && { lacksBody }) })
    }
    tellUnjudged(entries, terminal)
    return entries.at(-1)?.receivedMs ?? startedMs
  })
}

function tellUnjudged(entries: readonly HarEntry[], { err }: Terminal): void {
  const groups = Map.groupBy(entries, ({ unjudged }) => unjudged)
  for (const [why, { length }] of groups) if (why !== null) err(`not judged: ${entriesText(length)} ${why}`)
  const bodiless = entries.filter(({ lacksBody, unjudged }) => lacksBody && unjudged === null).length
  if (bodiless > 0) err(`rules about bodies do not judge ${entriesText(bodiless)} without them`)
}

function entriesText(count: number): string {
  return count === 1 ? '1 entry' : `${count} entries`
}

function entriesOf(file: string, { cwd }: Terminal): readonly HarEntry[] {
  let text: string
  try {
    text = readFileSync(resolve(cwd, file), 'utf8')
  } catch (error) {
    throw new UsageError(`${file} cannot be read (${codeOf(error)}); name a HAR file`, error)
  }
  try {
    return readHar(text)
  } catch (error) {
    if (!(error instanceof InvalidHar)) throw error
    throw new UsageError(`${file} ${error.message}`)
  }
}

const planes = ['pods', 'queue', 'lb', 'management'] as const

function hasAddress(options: Options): boolean {
  const isGiven = planes.some((plane) => options[plane] !== undefined)
  if (isGiven && options.target !== undefined) throw new UsageError('give either --target or addresses, not both')
  return isGiven
}

/** A word for a shell; addresses stay as they are. */
function quoted(word: string): string {
  return /^[\w.,:/@-]+$/.test(word) ? word : quote([word])
}

function wordsOf({ target, ...options }: Options): string[] {
  if (target !== undefined) return ['--target', target]
  return planes.flatMap((plane) => (options[plane] === undefined ? [] : [`--${plane}`, String(options[plane])]))
}

/** A target with these addresses. Nothing is sent, so its ids and its key may be any. */
function targetOf({ pods, queue, lb, management }: Options): Target {
  const allowPlainHttp = true
  const any = 'any'
  const file = {
    plumbline: 1,
    name: 'the traffic',
    ...(pods !== undefined && { pods: { url: pods, allowPlainHttp } }),
    ...(queue !== undefined && { queue: { url: queue, allowPlainHttp, endpoints: { normal: any } } }),
    ...(lb !== undefined && { lb: { endpoints: { normal: lb }, allowPlainHttp } }),
    ...(management !== undefined && { management: { url: management, allowPlainHttp, template: any } }),
    keys: { full: `${examplePrefix}full` },
  }
  return parseTarget(stringify(file), { file: 'the addresses', environment: {} })
}

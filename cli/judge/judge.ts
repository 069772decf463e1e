import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { text as textIn } from 'node:stream/consumers'
import { pluralize } from '../../harness/common/pluralize.ts'
import { type HarEntry, InvalidHar, readHar } from '../../traffic/har.ts'
import { UsageError } from '../shared/errors.ts'
import type * as commands from '../shared/options.ts'
import { readFault } from '../shared/records/output-folders.ts'
import type { Terminal } from '../shared/terminal.ts'
import { judgeTraffic } from '../shared/traffic/traffic.ts'
import { commandOf, trafficTarget } from '../shared/traffic/traffic-target.ts'

type Options = commands.OptionsOf<typeof commands.judge>

/** Judges the entries of a HAR. Returns the exit code. */
export async function judge(file: string, options: Options, terminal: Terminal): Promise<number> {
  const { target, targetFile, words } = await trafficTarget(options, terminal)
  const entries = (await entriesOf(file, terminal)).toSorted((a, b) => a.receivedMs - b.receivedMs)
  const command = commandOf('judge', file, ...words)
  const choice = { ...options, target, targetFile, judgesClient: false, command }
  const startedMs = entries.reduce((first, { sentMs }) => Math.min(first, sentMs), Date.now())
  return judgeTraffic(choice, startedMs, terminal, async ({ take }) => {
    for (const entry of entries) {
      const { request, response, n, sentMs, receivedMs, lacksBody, unjudged } = entry
      if (unjudged !== null) continue
      const failure = response === null ? 'the HAR has no response' : null
      take({ n, request, response, failure, sentMs, receivedMs, ...(lacksBody && { lacksBody }) })
    }
    reportUnjudged(entries, terminal)
    return entries.at(-1)?.receivedMs ?? startedMs
  })
}

function reportUnjudged(entries: readonly HarEntry[], { err }: Terminal): void {
  const groups = Map.groupBy(entries, ({ unjudged }) => unjudged)
  for (const [why, { length }] of groups)
    if (why !== null) err(`not judged: ${pluralize(length, 'entry', 'entries')} ${why}`)
  const bodiless = entries.filter(({ lacksBody, unjudged }) => lacksBody && unjudged === null).length
  if (bodiless > 0) err(`rules about bodies do not judge ${pluralize(bodiless, 'entry', 'entries')} without them`)
}

async function entriesOf(file: string, { cwd }: Terminal): Promise<readonly HarEntry[]> {
  let text: string
  try {
    text = file === '-' ? await textIn(process.stdin) : readFileSync(resolve(cwd, file), 'utf8')
  } catch (error) {
    throw new UsageError(
      `${file} cannot be read (${readFault(error)}); name a HAR file, or - for the standard input`,
      error,
    )
  }
  try {
    return readHar(text)
  } catch (error) {
    if (!(error instanceof InvalidHar)) throw error
    throw new UsageError(`${file} ${error.message}`)
  }
}

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { lengthOf } from '../../harness/common/length.ts'
import { redactorOf, runEventOf } from '../../harness/record/describe.ts'
import type { LoadFacts } from '../../harness/record/events.ts'
import { createFileRecorder } from '../../harness/record/recorder.ts'
import { type EmittedLoad, manifestsOf } from '../../load/distributed/manifests.ts'
import { needDriver, timelineOf } from '../../load/distributed/timeline.ts'
import { pinnedK6 } from '../../load/k6/find.ts'
import { LoadError } from '../../load/load-error.ts'
import type { Target } from '../../target/types.ts'
import { exitCodes } from '../../verdicts/exit-codes.ts'
import { UsageError } from '../shared/errors.ts'
import type * as commands from '../shared/options.ts'
import { version } from '../shared/package-paths.ts'
import { digestsOf } from '../shared/records/digests.ts'
import { prepareOutput } from '../shared/records/record.ts'
import { withOutput } from '../shared/run/lock.ts'
import { planLoad } from '../shared/run/prepare-load.ts'
import { newRunId } from '../shared/run/runs.ts'
import type { Terminal } from '../shared/terminal.ts'

type Options = commands.OptionsOf<typeof commands.load>

interface Emission {
  readonly target: Target
  readonly targetFile: string
  readonly profiles: readonly string[]
  readonly rules: readonly string[]
}

/** Writes the load of these rules for the operator of k6 into the folder of `--out`, and sends nothing. Returns the exit code. */
export async function emitLoad(emission: Emission, options: Options, terminal: Terminal): Promise<number> {
  const { target, rules } = emission
  const { out, segments: processes = 2, image = 'plumbline', windowScale = 1 } = options
  const { queue } = target
  if (out === undefined) throw new UsageError('--emit writes several files; name a folder for them with --out')
  if (queue === null) throw new Error('load limits has a queue plane')
  const { limits: steps } = planLoad(rules, target, options, terminal, { isSequential: true })
  refuseUnsuited(rules, needDriver(steps), target)
  const run = newRunId()
  const { plan, lengthMs } = timelineOf(steps, queue)
  refuseSecrets(JSON.stringify(plan), target)
  return withOutput(terminal.cwd, out, async () => {
    const dir = prepareOutput(terminal.cwd, out)
    recordStart(dir, run, emission, { windowScale, processes })
    const record = readFileSync(join(dir, 'evidence.ndjson'), 'utf8')
    const userAgent = `plumbline/${version()} (run ${run}; rule ${rules[0]})`
    const load = { name: `plumbline-${run}`, plan, record, processes, url: queue.url, userAgent, image }
    for (const [name, text] of Object.entries(manifests(load))) writeFileSync(join(dir, name), text)
    terminal.out(
      `${out}: ${load.name}, a load of ${lengthOf(Math.ceil(lengthMs / 1000) * 1000)} by ${processes} processes of k6; apply configmap.yaml and testrun.yaml, then job.yaml once the TestRun is finished (docs/scale.md)`,
    )
    return exitCodes.conformant
  })
}

function manifests(load: EmittedLoad) {
  try {
    return manifestsOf(load)
  } catch (error) {
    throw error instanceof LoadError ? new UsageError(`--emit: ${error.message}`) : error
  }
}

function recordStart(
  dir: string,
  run: string,
  { target, targetFile, profiles, rules }: Emission,
  load: Pick<LoadFacts, 'windowScale' | 'processes'>,
): void {
  const recorder = createFileRecorder(dir, redactorOf(target))
  recorder.event(
    runEventOf(target, {
      ...{ run, plumbline: version(), startedMs: Date.now(), targetFile, seed: null },
      ...{ clock: 'real', profiles, strict: false, rules, load: { rules, k6: pinnedK6, isSmoke: false, ...load } },
      digests: digestsOf(target),
    }),
  )
  recorder.flush()
}

function refuseUnsuited(rules: readonly string[], unsuited: ReadonlySet<string>, { network }: Target): void {
  const refused = rules.filter((id) => unsuited.has(id))
  const rest = rules.filter((id) => !unsuited.has(id))
  if (refused.length > 0) {
    const hint =
      rest.length === 0 ? 'load limits drives them from here' : `select others with --only: ${rest.join(', ')}`
    throw new UsageError(
      `--emit cannot submit jobs beforehand, hold requests or send a second key, which ${refused.join(', ')} would need; ${hint}`,
    )
  }
  if (network.ca !== null || network.certificate !== null || Object.keys(network.headers).length > 0) {
    throw new UsageError('--emit cannot pass on network of the target file, because no file may hold its secrets')
  }
}

function refuseSecrets(text: string, target: Target): void {
  if (redactorOf(target).text(text) === text) return
  throw new UsageError('--emit would write a secret of queue.input into a file; use an input without secrets')
}

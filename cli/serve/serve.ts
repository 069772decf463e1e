import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { addressesIn, describedBy, referenceTarget, withVariants } from '../../proof/instance.ts'
import type { Variant } from '../../proof/types.ts'
import { type Call, limiterOf, probeImage, type ReferenceOptions } from '../../reference/index.ts'
import type { Target } from '../../target/types.ts'
import { writeTarget } from '../../target-file/write.ts'
import { UsageError } from '../shared/errors.ts'
import { aborted, watchInterruption } from '../shared/interrupt.ts'
import type * as commands from '../shared/options.ts'
import { packageFolder } from '../shared/package-paths.ts'
import { writableFile } from '../shared/records/output-folders.ts'
import type { Terminal } from '../shared/terminal.ts'
import { createMock } from './app.ts'
import { type Chosen, chooseVariants, listVariants } from './choose-variants.ts'
import { withFailures } from './fail.ts'
import { createPorts, portsOf } from './ports.ts'
import { createProcessProbe, type ProcessProbe } from './probe/process-probe.ts'
import { createServed } from './served.ts'
import { type InitialState, readState } from './state.ts'
import { createRealCall } from './worker/call.ts'
import { readCommand } from './worker/command.ts'
import { createProcessWorker, type ProcessWorker } from './worker/process-worker.ts'

type Options = commands.OptionsOf<typeof commands.serve>

/** Quotas of the pod API that nothing on this machine reaches. */
const generous = { minute: 1_000_000, hour: 60_000_000, day: 1_000_000_000 }

/**
 * Real milliseconds for requests under way, and then for worker processes, to end by themselves. A controlled clock stands
 * still meanwhile, so that longer waits would be in vain.
 */
const graceMs = { real: 60_000, control: 1_000, worker: 2_000 }

/** Real milliseconds until somebody is told what is being waited for. */
const noticeMs = 1_000

/** Serves the reference until interrupted. Throws UsageError if the port is taken or the worker does not start. */
export async function serve(options: Options, terminal: Terminal): Promise<number> {
  if (options.list) {
    for (const line of await listVariants(options)) terminal.out(line)
    return 0
  }
  if (options.json) throw new UsageError('--json needs --list')
  if (options.only.length > 0) throw new UsageError('--only needs --list; --defect and --latitude name what is served')
  const chosen = await chooseVariants(options)
  if (options.printTarget !== undefined) writableFile(terminal.cwd, '--print-target', options.printTarget)
  let worker: ProcessWorker | null = null
  let probe: ProcessProbe | null = null
  const interruption = watchInterruption(() => {
    worker?.kill()
    probe?.kill()
  })
  try {
    worker = await workerOf(options, interruption.signal, terminal)
    probe = await probeOf(options, interruption.signal, terminal)
    await serveUntil(interruption.signal, { worker, probe }, chosen, options, terminal)
    return 0
  } catch (error) {
    // A worker that was ended while it started is not at fault.
    if (interruption.signal.aborted) return 0
    throw error
  } finally {
    await worker?.close(graceMs.worker)
    await probe?.close(graceMs.worker)
    interruption.end()
  }
}

async function serveUntil(
  end: AbortSignal,
  programs: Programs,
  { variants, notes }: Chosen,
  options: Options,
  terminal: Terminal,
): Promise<void> {
  const state = options.state === undefined ? null : readState(terminal.cwd, options.state)
  const { call, close: hangUp } = createRealCall()
  const change = optionsOf(options, call, programs, state, variants)
  const served = createServed({ kind: options.clock, latencyMs: options.latency ?? 0, change })
  const log = options.log ? { log: terminal.err } : {}
  const answer = createMock({ served, ...log })
  const ports = createPorts(answer, options.host)
  try {
    const url = await ports.open(options.port)
    const target = describedBy(variants, withToolHere(referenceTarget(url, options.clock), variants))
    for (const port of portsOf(target, url)) await ports.open(port)
    const file = writeTarget(target)
    if (options.printTarget !== undefined) writeFileSync(resolve(terminal.cwd, options.printTarget), file)
    terminal.out(`# the reference implementation answers at ${url}, its API document at ${url}/openapi.json`)
    terminal.out(`# ${url} in a browser shows what it serves, with keys and curl lines`)
    if (options.worker !== undefined) terminal.out(`# jobs are executed by ${options.worker}`)
    if (options.probe !== undefined) terminal.out(`# pods of ${probeImage} run ${options.probe}`)
    for (const { id, says } of variants) terminal.out(`# with ${id}: ${says}`)
    for (const note of notes) terminal.out(`# ${note}`)
    terminal.out(`# target file${options.printTarget === undefined ? '' : ` (written to ${options.printTarget})`}:`)
    terminal.out(file.trimEnd())
    await aborted(end)
  } finally {
    const grace = graceMs[options.clock]
    const notice = `waiting for requests under way, for up to ${grace / 1_000} s; a second signal cuts them off`
    const noticed = setTimeout(() => terminal.err(`plumbline: ${notice}`), noticeMs)
    await ports.close(grace)
    clearTimeout(noticed)
    served.close()
    await hangUp()
  }
}

/** The target with the deployment tool of this package, which has the defect that is served. */
function withToolHere(target: Target, variants: readonly Variant[]): Target {
  if (target.deploy === null) return target
  const program = join(packageFolder, 'bin', 'plumbline-deploy.js')
  const defects = variants.filter(({ tool }) => tool !== undefined).flatMap(({ id }) => ['--defect', id])
  const commands = Object.entries(target.deploy.commands).map(([name, [_, ...words]]) => [
    name,
    [program, ...defects, ...words],
  ])
  const address = addressesIn(target)('{id}')
  const environment = { ...target.deploy.environment, ...(address !== null && { PLUMBLINE_DEPLOY_LB: address }) }
  return { ...target, deploy: { ...target.deploy, environment, commands: Object.fromEntries(commands) } }
}

async function workerOf({ worker }: Options, signal: AbortSignal, terminal: Terminal): Promise<ProcessWorker | null> {
  if (worker === undefined) return null
  const { cwd, environment, err } = terminal
  const complain = (message: string) => err(`plumbline: the worker ${message}`)
  return createProcessWorker({ words: readCommand('--worker', worker), cwd, environment, complain, signal })
}

async function probeOf({ probe }: Options, signal: AbortSignal, terminal: Terminal): Promise<ProcessProbe | null> {
  if (probe === undefined) return null
  const { cwd, environment, err } = terminal
  const complain = (message: string) => err(`plumbline: the probe: ${message}`)
  return createProcessProbe({ words: readCommand('--probe', probe), cwd, environment, complain, signal })
}

/** Programs that run as processes; null for those of the reference. */
interface Programs {
  readonly worker: ProcessWorker | null
  readonly probe: ProcessProbe | null
}

/** The options of the reference, its clock aside. */
function optionsOf(
  { fail, quotas, limiter, windowScale }: Options,
  call: Call,
  { worker, probe }: Programs,
  state: InitialState | null,
  variants: readonly Variant[],
): (base: ReferenceOptions) => ReferenceOptions {
  const queue = {
    ...(limiter === undefined ? {} : { limiter }),
    ...(windowScale === undefined ? {} : { windowScale }),
  }
  return (base) => {
    const options = {
      ...base,
      call,
      queue,
      ...(limiter === undefined ? {} : { limiter: limiterOf(limiter) }),
      quotas: { ...generous, ...quotas },
      ...(worker === null ? {} : { worker, server: worker }),
      ...(probe === null ? {} : { images: { [probeImage]: probe.program() } }),
      ...state,
    }
    return withFailures(withVariants(options, variants), fail)
  }
}

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Target } from '../../target/types.ts'
import { exitCodes } from '../../verdicts/exit-codes.ts'
import { lateResponseMs } from '../clock/patience.ts'
import { createRealClock } from '../clock/real.ts'
import { ClockFault } from '../clock/state.ts'
import type { RunClock, Waited } from '../clock/types.ts'
import { lengthOf } from '../common/length.ts'
import { cleanupMs } from '../plan/plan.ts'
import { allPlanes, planeOfRule } from '../planes/index.ts'
import { redactorOf, runEventOf } from '../record/describe.ts'
import { type EndEvent, isJudged, type RunEvent } from '../record/events.ts'
import { createFileRecorder, type Recorder } from '../record/recorder.ts'
import { createResourceLedger, type ResourceLine } from '../record/resources.ts'
import { Unverified } from '../rule/outcome.ts'
import { allRules } from '../rule/registry.ts'
import { drainable } from '../transport/drain.ts'
import type { EmbeddedTarget } from '../transport/embedded.ts'
import { sayIfSlow } from '../transport/slow.ts'
import { type Connected, connectHere, connectTo } from './connect.ts'
import { failFastReason } from './cuts.ts'
import { guardRun } from './guard.ts'
import type { TakeUnrecorded } from './invariants.ts'
import { type Judgement, recordJudgement } from './judge.ts'
import { createMeter, reasonToEnd } from './meter.ts'
import type { DriveLoad, FailFast, Progress, RunOptions } from './options.ts'
import { refusalOf } from './probe.ts'
import { createSession } from './session.ts'

/** Longest wait for the probe if the clock has failed, ms. A silent clock adds the usual time for a response. */
const probeMs = 2_000

/** Registers the rules of the project and those of the vendor. */
export async function registerRules({ suites, vendor }: Pick<RunOptions, 'suites' | 'vendor'>): Promise<void> {
  await import(suites)
  if (vendor === undefined) return
  const module = (await import(vendor.module)) as { readonly loadRules: (folder: string) => Promise<unknown> }
  await module.loadRules(vendor.folder)
}

/** Opens a run with everything around it, and probes the target before anything is created. */
export async function openRun(options: RunOptions, reportProgress: (progress: Progress) => void = () => {}) {
  const { target, transport: sending, clockOf, listener, deaf, close } = await connect(options)
  const { send: transport, isOver, drain } = drainable(sending)
  const file = createFileRecorder(options.evidence, redactorOf(target))
  /** An interrupted run keeps no further verdict, because what is held is answered too early then, and has no end. */
  const recorder: Recorder = {
    ...file,
    event(event) {
      if (!isOver() || !(isJudged(event) || event.type === 'end')) file.event(event)
    },
  }
  const waited: Waited = (end) => recorder.event({ type: 'clock', ...end })
  const say = (line: string) => reportProgress({ type: 'shown', lines: [line] })
  const opened = clockOf({ waited, onLateResponse: () => say(lateResponse) })
  const opening = typeof target.clock === 'string' ? opened : sayIfSlow(target.clock.url, target, opened, say)
  const [clock, fault] = await opening.then(
    (remote): [RunClock, ClockFault | null] => [remote, null],
    (error: unknown): [RunClock, ClockFault | null] => {
      if (!(error instanceof ClockFault)) throw error
      return [createRealClock(), error]
    },
  )
  const begunMs = clock.now()
  const started = recordStart(recorder, options, target, fault === null ? clock.kind : 'remote')
  const write = options.resources === null ? () => {} : createResourceLedger(options.resources)
  const meter = createMeter(target.budget, Date.now)
  const { maxCost, failFast } = options
  let failedRule: string | null = null
  /** Ends unfinished rules if the run has cost more than it may, or an unknown amount, or at a failure that ends it. */
  const refuseMore = () => {
    const costly = maxCost === undefined ? null : reasonToEnd(meter.spent(), maxCost)
    const reason = failedRule === null ? costly : failFastReason(failedRule)
    if (reason !== null) session.cut(new Unverified(reason))
  }
  const { load, budgetMs = null, reserve } = options
  /** Real time until the budget ends the rules; the rest of it serves for removing what they made. */
  const leftMs = (budget: number) => options.startedMs + budget - cleanupMs(budget) - Date.now()
  const loaded = load?.rules ?? []
  const selected = new Set(options.rules.filter((id) => !loaded.includes(id)))
  const resources = (line: ResourceLine) => {
    if (isOver() && 'state' in line && line.state === 'requested') return
    write(line)
    meter.note(line)
    refuseMore()
  }
  const session = createSession({
    runId: options.run,
    version: options.plumbline,
    seed: options.seed ?? 0,
    // A load of one plane leaves the others alone.
    target: isLoadAlone(options) ? withPlanesOf(target, loaded) : target,
    transport,
    clock,
    recorder,
    resources,
    rules: allRules().filter(({ id }) => selected.has(id)),
    keep: options.keep,
    wallNow: () => Date.now(),
    listener,
    leftOut: options.leftOut ?? [],
    isSparing: options.isSparing ?? false,
    ...(reserve !== undefined && budgetMs !== null && { reserve: { ...reserve, leftMs: () => leftMs(budgetMs) } }),
  })
  const total = session.scenarios.length + session.invariants.length + loaded.length
  const probed = session.probe(say)
  const stopped =
    refused(deaf) ??
    refusalOf(await (fault === null ? probed : bounded(fault)), target) ??
    refused(fault?.message ?? null)
  reportProgress(
    stopped === null ? { type: 'started', rules: total, clock: clock.kind } : { type: 'stopped', ...stopped },
  )
  const ticker = setInterval(() => {
    refuseMore()
    reportProgress({ type: 'waiting', nowMs: clock.now(), requests: session.exchanges(), pending: clock.pending() })
  }, 500)
  ticker.unref()
  const endGuard = guardRun({ session, clock, endsMs: budgetMs === null ? null : leftMs(budgetMs), budgetMs })
  let done = 0

  /** The result of the probe; null if it is late. Without its clock, a target that holds a response never gives it. */
  function bounded({ isSilent }: ClockFault): typeof probed {
    const { answerMs, connectMs } = target.tolerances
    const longestMs = probeMs + (isSilent ? Math.max(answerMs, connectMs) : 0)
    return Promise.race([probed, new Promise<null>((over) => clock.after(longestMs, () => over(null)))])
  }

  function judged(judgement: Judgement): void {
    if (isOver()) return
    const { rule, verdict } = judgement
    if (failFast !== undefined && failedRule === null && endsRun(judgement, failFast)) {
      failedRule = rule
      refuseMore()
    }
    done++
    reportProgress({ type: 'verdict', rule, verdict, done, total })
  }

  async function driveLoad(take: TakeUnrecorded): Promise<readonly Judgement[]> {
    if (load === undefined) return []
    const module = (await import(load.module)) as { readonly driveLoad: DriveLoad }
    const task = { run: started, options, target, transport, recorder, resources, reportProgress }
    return module.driveLoad(task, take)
  }

  /** Judges the invariants, by what the load sends as well, and the load. */
  async function judgeRest(): Promise<Judgement[]> {
    let ofLoad: readonly Judgement[] = []
    const invariants = await session.finish(async (take) => {
      ofLoad = await driveLoad(take)
    })
    return [...invariants, ...ofLoad.map((judgement) => recordJudgement(recorder, judgement))]
  }

  return {
    session,
    /** Set if the run could not start; nothing is judged then. */
    stopped,
    /** Rules that load judges once all others are judged. */
    loaded,
    /** Call it with each verdict, for live progress. */
    judged,
    /** Sends nothing more. Resolves once the responses under way are in the record, or after `drainMs`. */
    async drain(): Promise<void> {
      const drained = drain()
      session.releaseAll()
      await drained
      await nextTurn()
      recorder.flush()
    },
    /**
     * Removes what is left, drives the load, judges the invariants and the load, ends the record. `serverEnd` returns how the
     * server of the target has failed, if it has.
     */
    async finish(serverEnd: () => string | undefined = () => undefined): Promise<Judgement[]> {
      const judgements = stopped === null ? await judgeRest() : []
      for (const judgement of judgements) judged(judgement)
      clearInterval(ticker)
      endGuard()
      const failed = serverEnd()
      recorder.event({
        type: 'end',
        endedMs: Date.now(),
        passedMs: fault === null ? clock.now() - begunMs : 0,
        exchanges: session.exchanges(),
        stopped,
        ...(failed !== undefined && { serverEnd: failed }),
      })
      recorder.flush()
      clock.close()
      await close()
      reportProgress({ type: 'ended' })
      return judgements
    },
  }
}

/** Without it, such a run would seem to stand still. */
const lateResponse = `no response within ${lengthOf(lateResponseMs)}, so the clock advances; if responses take controlled time, each costs that much real time (docs/clock.md)`

/** True for a load beside which no rule sends anything. */
function isLoadAlone({ load, rules }: RunOptions): boolean {
  if (load === undefined) return false
  const selected = new Set(rules.filter((id) => !load.rules.includes(id)))
  return !allRules().some(({ id, kind }) => kind === 'scenario' && selected.has(id))
}

/** The target with only the planes of these rules. */
function withPlanesOf(target: Target, rules: readonly string[]): Target {
  const judged = new Set(rules.map((id) => planeOfRule(id).name))
  const others = allPlanes().filter(({ name }) => !judged.has(name))
  return { ...target, ...Object.fromEntries(others.map(({ name }) => [name, null])) }
}

/** True for a failure that is not tolerated. */
function endsRun({ rule, verdict, findings }: Judgement, { tolerated }: FailFast): boolean {
  const isTolerated = (clause: string) =>
    tolerated.some((one) => one.rule === rule && (one.clause === null || one.clause === clause))
  return verdict === 'failed' && !findings.every(({ clause }) => isTolerated(clause))
}

/** A statement of the target file is wrong, so nothing that needs it could be judged. */
function refused(message: string | null): EndEvent['stopped'] {
  return message === null ? null : { exit: exitCodes.usage, message }
}

function connect(options: RunOptions): Promise<Connected> {
  const { embed, target } = options
  if (embed !== null)
    return import(embed).then((module: { embed: () => EmbeddedTarget }) => connectHere(module.embed()))
  if (target === null) throw new Error('a run needs a target or a module to embed')
  // Load needs no arrivals.
  return connectTo(target, { hears: !isLoadAlone(options) })
}

function recordStart(recorder: Recorder, options: RunOptions, target: Target, clock: RunClock['kind']): RunEvent {
  const { run, plumbline, startedMs, targetFile, program, seed, profiles, strict, digests } = options
  const { leftOut = [], load, isSparing = false, rulesFolder, start } = options
  const event = runEventOf(target, {
    ...{ run, plumbline, startedMs, targetFile, seed },
    ...(program !== undefined && { program }),
    clock: clock === 'replay' ? 'virtual' : clock,
    ...{ profiles, strict, rules: [...options.rules].sort() },
    ...(rulesFolder !== undefined && { rulesFolder }),
    ...(start !== undefined && { start }),
    ...(leftOut.length === 0 ? {} : { leftOut }),
    ...(isSparing && { isSparing }),
    ...(load !== undefined && {
      load: {
        ...{ rules: load.rules, windowScale: load.windowScale, k6: load.k6.version, isSmoke: load.isSmoke },
        ...{ maxRequests: load.maxRequests, maxSeconds: load.maxSeconds },
        ...(load.mixed !== undefined && { mixed: load.mixed }),
      },
    }),
    digests,
  })
  recorder.event(event)
  return event
}

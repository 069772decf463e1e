import type { RuleId } from '../../generated/rules.ts'
import { createControlledClock } from '../../harness/clock/controlled.ts'
import { openClock } from '../../harness/clock/open.ts'
import type { RunClock } from '../../harness/clock/types.ts'
import type { Exchange } from '../../harness/exchange/exchange.ts'
import { redactorOf } from '../../harness/record/describe.ts'
import { noRecorder, type Recorder } from '../../harness/record/recorder.ts'
import type { ResourceLedger } from '../../harness/record/resources.ts'
import type { Context } from '../../harness/rule/context.ts'
import { shorten } from '../../harness/run/judge.ts'
import { createSession } from '../../harness/run/session.ts'
import { overHttp } from '../../harness/transport/http.ts'
import { inProcess } from '../../harness/transport/in-process.ts'
import type { Transport } from '../../harness/transport/types.ts'
import { createInstance } from '../../proof/instance.ts'
import { composeOptions } from '../../reference/options.ts'
import { campaign } from '../../suites/fuzz/campaign.ts'
import type { FuzzFinding } from '../../suites/fuzz/findings.ts'
import { casesAt, type Replayed, replayCases } from '../../suites/fuzz/replay.ts'
import { createLog } from '../../suites/fuzz/steps.ts'
import { walkAt, walkCampaign } from '../../suites/walk/campaign.ts'
import { commandsOf } from '../../suites/walk/commands.ts'
import { stepsOf, takeWalk, type Walked } from '../../suites/walk/walk.ts'
import type { Target } from '../../target/types.ts'
import { BrokenError } from '../shared/errors.ts'
import { version } from '../shared/package-paths.ts'
import { createGivingUp, createOutcomeOf, type Stop } from './fuzz-attempt.ts'

/** A target with a way to reach it and its clock. */
export interface OpenTarget {
  readonly target: Target
  readonly transport: Transport
  readonly clock: RunClock
  close(): Promise<void>
}

/** The name of a run, and the ledger of its resources. */
export interface Branch {
  readonly run: string
  readonly resources: ResourceLedger
}

export interface FuzzOptions {
  readonly open: OpenTarget
  readonly seed: number
  readonly branch: Branch
  /** True for walks in place of single bodies. */
  readonly walks?: boolean
  readonly goesOn: (cases: number) => boolean
  readonly onCase?: () => void
  readonly findings?: Map<string, FuzzFinding>
  /** Filled while cases are tried. */
  readonly log?: ReturnType<typeof createLog>
  /** Bodies that may go to a pod that does not exist while pods are made; any number unless given. */
  readonly maxPodless?: number
  /** Ends the run at once when it resolves, with what was found so far. */
  readonly cut?: Promise<void>
}

export interface FuzzRun {
  readonly cases: number
  readonly findings: readonly FuzzFinding[]
  /** Why it ended early; null if it did not. */
  readonly stopped: Stop | null
  /** Cases that could not be judged, as sentences. */
  readonly notes: readonly string[]
  /** How many bodies were answered 429. */
  readonly limited: number
  /** How many bodies pods refused, and after how many of these late effects were not looked for. */
  readonly refused: number
  readonly unsettled: number
}

/** Opens a target over HTTP. Rejects with ClockFault if its clock gives no state or cannot be moved. */
export async function openTarget(target: Target): Promise<OpenTarget> {
  const { answerMs, connectMs } = target.tolerances
  const clock = await openClock(target)
  const http = overHttp({ answerMs, connectMs, connections: 1, network: target.network })
  return {
    target,
    transport: http.send,
    clock,
    close: async () => {
      clock.close()
      await http.close()
    },
  }
}

/** The reference in this process without quotas, with the volumes and mounts of `like`, if given. */
export function openReference(like?: Target): OpenTarget {
  const plane = like?.pods ?? null
  const { fetch, control, target } = createInstance([
    {
      id: 'for-fuzzing',
      says: 'Quotas are not reached.',
      change: (options) => {
        const ids = [plane?.volume, plane?.volumeSecond].filter((id) => typeof id === 'string')
        const volumes = ids.map((id) => ({ id, dataCenterId: 'dc-1', size: 100 }))
        return composeOptions(options, {
          quotas: { minute: 1e12, hour: 1e12, day: 1e12 },
          ...(volumes.length === 0 ? {} : { volumes }),
        })
      },
      file: (own) => {
        if (own.pods === null || plane === null) return own
        const { volume, volumeSecond, volumePath, persistent } = plane
        const asked = { ...own.pods, volumePath, persistent: persistent ?? own.pods.persistent }
        return { ...own, pods: volume === null ? asked : { ...asked, volume, volumeSecond } }
      },
    },
  ])
  const clock = createControlledClock({ kind: 'virtual', control, startMs: Date.UTC(2026, 0, 1) })
  return { target, transport: inProcess(fetch), clock, close: async () => clock.close() }
}

/** Tries cases on a target until `goesOn` says no; every finding is shrunk and kept once. */
export async function fuzzTarget(options: FuzzOptions): Promise<FuzzRun> {
  const { open, seed, branch, goesOn, onCase, maxPodless, cut = new Promise<never>(() => {}) } = options
  const recorder = recorderFor(open.target)
  const clean = (text: string) => shorten(recorder, text)
  const findings = options.findings ?? new Map<string, FuzzFinding>()
  const end = new AbortController()
  const log = options.log ?? createLog()
  let cases = 0
  let underWay = 0
  let limited = 0
  let stopped: Stop | null = null
  const onExchange = ({ isOutOfStep }: Exchange) => {
    if (isOutOfStep) log.notes.add(outOfStep)
  }
  const work = (context: Context) =>
    (options.walks === true ? walkCampaign : campaign)(context, {
      seed,
      ...(maxPodless !== undefined && { maxPodless }),
      cut: end.signal,
      goesOn: () => {
        if (stopped !== null || !goesOn(cases + underWay)) return false
        underWay++
        return true
      },
      onCase: (wasSent) => {
        underWay--
        if (!wasSent) return
        cases++
        onCase?.()
      },
      findings,
      log,
      clean,
      outcomeOf: createOutcomeOf(clean),
      isTimeFree: open.clock.controlled,
      came: createGivingUp((stop) => {
        stopped ??= stop
      }),
      async direct(trial, pod, bytes, options) {
        const response = await trial.send(pod, bytes, { ...options, raw429: true, unpaced: true })
        if (response.status === 429) limited++
        return response
      },
    })
  const whole = inSession(open, seed, branch, work, {
    onExchange,
    ...(options.walks === true && { rule: 'pods.walk' }),
  })
  const reason = await Promise.race([whole, cut.then(() => null)])
  for (const keep of log.undecided) keep()
  end.abort()
  whole.catch(() => {})
  return {
    cases,
    findings: [...findings.values()],
    stopped: stopped ?? (reason === null ? null : { reason, isUnreachable: false }),
    notes: [...[...log.unmade].map(unmadeSentence), ...silenceSentences(log.silent), ...log.notes],
    limited,
    refused: log.refused,
    unsettled: log.unsettled.size,
  }
}

const outOfStep =
  'the target leaves the body of a refused request unread and answers those bytes as the next request on the connection, as errors.connection-in-step judges; that request was sent again on a new one'

function unmadeSentence([reason, stages]: readonly [string, ReadonlySet<string>]): string {
  return `no pod could be made for ${[...stages].join(', ')} (${reason}); bodies were sent to an unknown pod, which may be refused with any 4xx`
}

function silenceSentences([first, ...more]: readonly string[]): string[] {
  if (first === undefined) return []
  const others = more.length === 0 ? '' : `, and ${more.length} more after it`
  return [`no complete response to ${first}${others}; nothing shows that the body is the reason`]
}

/** Takes a walk again, on new pods; null if the target has no such path. */
export async function walkOn(
  open: OpenTarget,
  what: { readonly seed: number; readonly path: string } | Walked,
  branch: Branch,
): Promise<{ readonly seen: Walked | null; readonly stopped: string | null }> {
  const recorder = recorderFor(open.target)
  const outcomeOf = createOutcomeOf((text) => shorten(recorder, text))
  const held: { seen: Walked | null } = { seen: null }
  const work = async (context: Context) => {
    held.seen =
      'calls' in what
        ? await takeWalk(context, what, commandsOf(stepsOf(what)), outcomeOf)
        : await walkAt(context, { outcomeOf, ...what })
  }
  const stopped = await inSession(open, 'calls' in what ? 0 : what.seed, branch, work, { rule: 'pods.walk' })
  return { ...held, stopped }
}

/** Cases to replay: by seed and path, or as they are. */
type ReplayedCases = { readonly seed: number; readonly path: string } | Pick<Replayed, 'stage' | 'cases'>

/** Sends cases again, in order, to a new pod; null if the target has no such path or stage. */
export async function replayOn(
  open: OpenTarget,
  what: ReplayedCases,
  branch: Branch,
): Promise<{ readonly seen: Replayed | null; readonly stopped: string | null }> {
  const recorder = recorderFor(open.target)
  const outcomeOf = createOutcomeOf((text) => shorten(recorder, text))
  const held: { seen: Replayed | null } = { seen: null }
  const stopped = await inSession(open, 'cases' in what ? 0 : what.seed, branch, async (context) => {
    const cases = 'cases' in what ? what : casesAt(context, what.seed, what.path)
    held.seen = cases === null ? null : await replayCases(context, cases, outcomeOf)
  })
  return { ...held, stopped }
}

interface SessionOptions {
  readonly onExchange?: Recorder['exchange']
  /** The rule whose names the requests carry. */
  readonly rule?: RuleId
}

/** Runs work as a scenario, with the names, pacing and cleanup of a rule. Returns why it ended early, or null. */
async function inSession(
  { target, transport, clock }: OpenTarget,
  seed: number,
  { run, resources }: Branch,
  work: (context: Context) => Promise<void>,
  { onExchange = () => {}, rule = 'pods.action-body.fuzz' }: SessionOptions = {},
): Promise<string | null> {
  const recorder = { ...recorderFor(target), exchange: onExchange }
  const session = createSession({
    runId: run,
    version: version(),
    seed,
    target,
    transport,
    clock,
    recorder,
    resources,
    rules: [{ kind: 'scenario', id: rule, run: work, alone: false }],
    wallNow: () => Date.now(),
  })
  const [scenario] = session.scenarios
  const judgement = await scenario?.judge()
  await session.finish()
  if (judgement === undefined || judgement.verdict === 'passed') return null
  const { verdict, reason } = judgement
  // Clauses are not checked here, so a count of 0 exchanges means nothing.
  if (reason === 'no exchange exercised this rule') return null
  if (verdict === 'broken') throw new BrokenError(shorten(recorder, reason ?? verdict))
  return shorten(recorder, reason ?? verdict)
}

/** Keeps nothing, and removes the secrets of a target from its output. */
function recorderFor(target: Target): Recorder {
  return { ...noRecorder, clean: redactorOf(target).text }
}

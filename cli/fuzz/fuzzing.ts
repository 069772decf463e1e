import type { RuleId } from '../../generated/rules.ts'
import type { Exchange } from '../../harness/exchange/exchange.ts'
import type { Context } from '../../harness/rule/context.ts'
import { shorten } from '../../harness/run/judge.ts'
import { type CampaignOptions, campaign } from '../../suites/fuzz/campaign.ts'
import type { FuzzFinding } from '../../suites/fuzz/findings.ts'
import { casesAt, type Replayed, replayCases } from '../../suites/fuzz/replay.ts'
import { createLog } from '../../suites/fuzz/steps.ts'
import { type WalkPlaneName, walkPlanes } from '../../suites/walk/planes.ts'
import type { Walked } from '../../suites/walk/walk.ts'
import { createGivingUp, createOutcomeOf, type Stop } from './fuzz-attempt.ts'
import { type Branch, bodies, inSession, recorderFor, unrecorded, type Work } from './fuzz-session.ts'
import type { OpenTarget } from './open-target.ts'

export interface FuzzOptions {
  readonly open: OpenTarget
  readonly seed: number
  /** Unless given, of a target that leaves nothing behind. */
  readonly branch?: Branch
  /** The planes of walks, which are taken in place of single bodies: concurrently, and as many on each. */
  readonly walks?: readonly WalkPlaneName[]
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

/** Tries cases on a target until `goesOn` says no; every finding is shrunk and kept once. */
export async function fuzzTarget(options: FuzzOptions): Promise<FuzzRun> {
  const { open, seed, branch = unrecorded, goesOn, onCase, maxPodless, walks = [] } = options
  const { cut = new Promise<never>(() => {}) } = options
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
  const campaignOptions = (): CampaignOptions => ({
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
  const walking = walks.map((name, place): Work => {
    let begun = 0
    /** As many on each plane, however long they take: walks are counted as if the planes took turns. */
    const mayBegin = () => stopped === null && goesOn(begun++ * walks.length + place)
    const work = (context: Context) => walkPlanes[name].campaign(context, { ...campaignOptions(), goesOn: mayBegin })
    return { rule: walkPlanes[name].rule, work }
  })
  const sending: Work = { rule: bodies, work: (context) => campaign(context, campaignOptions()) }
  const whole = inSession(open, seed, branch, walks.length === 0 ? [sending] : walking, onExchange)
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

/** A walk to take again: by its plane, seed and path, or as it was taken. */
type WalkAgain = { readonly plane: WalkPlaneName; readonly seed: number; readonly path: string } | Walked

/** Takes a walk again, on new pods or jobs; null if the target has no such path. */
export function walkOn(open: OpenTarget, what: WalkAgain, branch = unrecorded): Promise<Again<Walked>> {
  const { rule, walkAt } = walkPlanes[what.plane]
  if ('calls' in what) return again(open, 0, branch, rule, what.again)
  const { seed, path } = what
  return again(open, seed, branch, rule, (context, outcomeOf) => walkAt(context, { outcomeOf, seed, path }))
}

/** Cases to replay: by seed and path, or as they are. */
type ReplayedCases = { readonly seed: number; readonly path: string } | Pick<Replayed, 'stage' | 'cases'>

/** Sends cases again, in order, to a new pod; null if the target has no such path or stage. */
export function replayOn(open: OpenTarget, what: ReplayedCases, branch = unrecorded): Promise<Again<Replayed>> {
  return again(open, 'cases' in what ? 0 : what.seed, branch, bodies, async (context, outcomeOf) => {
    const cases = 'cases' in what ? what : casesAt(context, what.seed, what.path)
    return cases === null ? null : replayCases(context, cases, outcomeOf)
  })
}

interface Again<Seen> {
  readonly seen: Seen | null
  /** Why it ended early; null if it did not. */
  readonly stopped: string | null
}

async function again<Seen>(
  open: OpenTarget,
  seed: number,
  branch: Branch,
  rule: RuleId,
  take: (context: Context, outcomeOf: CampaignOptions['outcomeOf']) => Promise<Seen | null>,
): Promise<Again<Seen>> {
  const recorder = recorderFor(open.target)
  const outcomeOf = createOutcomeOf((text) => shorten(recorder, text))
  const held: { seen: Seen | null } = { seen: null }
  const work = async (context: Context) => {
    held.seen = await take(context, outcomeOf)
  }
  const stopped = await inSession(open, seed, branch, [{ rule, work }])
  return { ...held, stopped }
}

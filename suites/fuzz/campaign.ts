import { outageStatuses } from '../harness/check.ts'
import type { Reply } from '../harness/client/reply.ts'
import type { Context } from '../harness/context.ts'
import { unlessUnanswered } from '../harness/outcome.ts'
import { podOf } from '../harness/read.ts'
import { together } from '../harness/together.ts'
import { sameMounts } from '../pods/patching.ts'
import { changesIn, podToTryAgain, sendTwice } from './again.ts'
import { createAhead, type Drawn } from './ahead.ts'
import type { FuzzCase } from './cases.ts'
import { type FuzzFinding, fingerprintOf } from './findings.ts'
import { type Allowed, allowedText, classify, isIn, type Situation } from './oracle.ts'
import { culpritOf, simplest, type Trial } from './play.ts'
import { caseAt, enumeratedOf, type Stage, stagesOf } from './stages.ts'

/** What came of something, or in a few words why nothing did; `undecided` where that says nothing of the target. */
export type Outcome<T> = { readonly value: T } | { readonly failure: string; readonly undecided: boolean }

/** What of an answer the loop looks at. */
export type FuzzAnswer = Pick<Reply, 'status' | 'json'>

export interface CampaignOptions {
  readonly seed: number
  /** Where to begin: what is enumerated is tried by one lane only. */
  readonly from: 'enumeration' | 'random'
  /** Asked before each case. */
  readonly goesOn: () => boolean
  /** Told after each case that was to be tried, and whether it was sent. */
  readonly onCase: (wasSent: boolean) => void
  readonly findings: Map<string, FuzzFinding>
  /**
   * Sends a body to a pod without pacing and record, and does `meanwhile` once the request is under way. A 429 is waited
   * out in the usual way then.
   */
  readonly direct: (situation: Situation, id: string, bytes: Uint8Array, meanwhile: () => void) => Promise<FuzzAnswer>
  /** A text of the target as it may be kept: without secrets, and not long. */
  readonly clean: (text: string) => string
  /** Makes a failure of what is below (no answer, a broken rule) a value that may be kept. */
  readonly attempt: <T>(work: () => Promise<T>) => Promise<Outcome<T>>
}

/** What the steps of a case share. */
interface Steps extends Pick<CampaignOptions, 'seed' | 'findings' | 'clean' | 'attempt'> {
  readonly direct: (situation: Situation, id: string, bytes: Uint8Array) => Promise<FuzzAnswer>
  /** Aborted where a hand has failed. */
  readonly signal: AbortSignal
}

/** Cases at once, each on a stage of its own: while one is judged, the connection carries another. */
const underWay = 2
/** How long after the last case the pods are looked at once more, ms. */
const lookAfterMs = 2_000
/** Refusals between two looks at a pod. */
const lookEvery = 64
/** Refusals after which a pod is looked at before a body that may be accepted. */
const lookBeforeChange = 16
/** Valid actions change a pod for good: of those that are drawn only one in so many is sent. */
const validActionEvery = 997
/** New pods that one mutator may cost on one stage, where each body of its kind is carried out and must not be. */
const newPodsEach = 3
/** Simpler cases that are tried of a finding, and of one that takes a new pod each time. */
const tries = { onOnePod: 200, onNewPods: 6 } as const

/**
 * Tries cases until it is told to stop, past every finding; each is shrunk and kept once for each fingerprint. Where one
 * hand fails, the others send and keep nothing any more, and it rejects as that one did once all have ended.
 */
export async function campaign(context: Context, options: CampaignOptions): Promise<void> {
  const stop = new AbortController()
  const { signal } = stop
  const stages = stagesOf(context).map((stage) => ({ ...stage, trial: unlessStopped(stage.trial, signal) }))
  const ahead = createAhead((run) => caseAt(stages, options.seed, run))
  let next = options.from === 'enumeration' ? 0 : enumeratedOf(stages)
  const prepareNext = () => ahead.prepare(next)
  const steps: Steps = {
    seed: options.seed,
    findings: options.findings,
    clean: options.clean,
    attempt: options.attempt,
    signal,
    direct(situation, id, bytes) {
      signal.throwIfAborted()
      return options.direct(situation, id, bytes, prepareNext)
    },
  }
  // Cases of one stage follow each other, for they share a pod.
  const turns = new Map<Stage, Promise<boolean>>()
  const tryNext = ({ stage, one }: Drawn, run: number): Promise<boolean> => {
    const before = turns.get(stage) ?? Promise.resolve(false)
    const turn = before.then(() => tryOne(context, stage, one, String(run), steps, run % validActionEvery === 0))
    turns.set(stage, turn)
    return turn
  }
  const hand = async () => {
    while (!signal.aborted && options.goesOn()) {
      const run = next++
      let wasSent = false
      try {
        wasSent = await tryNext(ahead.take(run), run)
      } finally {
        options.onCase(wasSent)
      }
    }
  }
  await together(underWay, hand, stop)
  await context.clock.sleep(Math.min(lookAfterMs, context.target.tolerances.visibleMs))
  for (const stage of stages) await look(context, stage, 'end', steps)
}

/** Sends the case of a seed and path once more, on a pod of its own; null where there is no such path. */
export async function replayCase(context: Context, seed: number, path: string) {
  const [run = 0, ...steps] = path.split(':').map(Number)
  const drawn = caseAt(stagesOf(context), seed, run)
  let { one } = drawn
  for (const step of steps) {
    const simpler = [...takeOf(one.simpler?.() ?? [], step + 1)][step]
    if (simpler === undefined) return null
    one = simpler
  }
  const pod = await drawn.stage.trial.make()
  const situation = drawn.stage.trial.situation(pod)
  const reply = await sendTwice(drawn.stage.trial, pod, one.bytes)
  const allowed = classify(situation, one.bytes)
  const isAllowed = allowed.some(({ answers }) => isIn(reply.status, answers))
  return { one, stage: drawn.stage.name, situation, reply, expected: allowedText(allowed), isAllowed }
}

/** Whether the case was sent. */
async function tryOne(
  context: Context,
  stage: Stage,
  one: FuzzCase,
  path: string,
  steps: Steps,
  sendsValid: boolean,
): Promise<boolean> {
  stage.pod ??= await stage.trial.make()
  const { pod, trial } = stage
  const situation = trial.situation(pod)
  let allowed = classify(situation, one.bytes)
  const isAction = situation.operation === 'triggerPodAction'
  const mayChange = allowed.some(({ after }) => after.kind !== 'unchanged')
  if (isAction && mayChange && !sendsValid) return false
  if ((stage.spent.get(one.mutator) ?? 0) >= newPodsEach) return false
  // An accepted body would hide what the refused ones before it have done.
  const isDue = one.simpler === undefined || stage.refused.length >= lookBeforeChange
  if (mayChange && isDue && (await look(context, stage, path, steps))) {
    return tryOne(context, stage, one, path, steps, sendsValid)
  }
  const outcome = await steps.attempt(async () => {
    const first = await unlessUnanswered(steps.direct(situation, pod.id, one.bytes))
    let answer = first?.status === 429 ? await unlessUnanswered(trial.send(pod, one.bytes)) : first
    if (answer === null) {
      const next = (await podToTryAgain(context, trial, pod, allowed)) ?? (await trial.make())
      if (next !== pod) Object.assign(stage, { pod: next, refused: [] })
      allowed = classify(trial.situation(next), one.bytes)
      answer = await trial.send(next, one.bytes, { newConnection: true })
    }
    if (outageStatuses.has(answer.status)) {
      context.inconclusive(`the target answered ${answer.status}, which tells of an outage`)
    }
    return answer
  })
  if ('failure' in outcome && outcome.undecided) return false
  const status = 'value' in outcome ? outcome.value.status : null
  const seen = allowed.filter(({ answers }) => status !== null && isIn(status, answers))
  if (seen.length === 0) {
    await wrong(context, stage, one, path, outcome, allowed, steps)
    return true
  }
  const changes = seen.filter(({ after }) => after.kind !== 'unchanged')
  if (changes.length > 0 && 'value' in outcome) await accepted(stage, one, path, outcome.value, seen, steps)
  else stage.refused.push(one)
  if (stage.refused.length >= lookEvery) await look(context, stage, path, steps)
  return true
}

async function wrong(
  context: Context,
  stage: Stage,
  one: FuzzCase,
  path: string,
  outcome: Outcome<FuzzAnswer>,
  allowed: readonly Allowed[],
  steps: Steps,
): Promise<void> {
  steps.signal.throwIfAborted()
  const { trial } = stage
  const situation = trial.situation(stage.pod ?? (await trial.make()))
  const observed = observedIn(outcome)
  const changesPod = 'value' in outcome && outcome.value.status < 300
  const isNewEach = changesPod && situation.operation === 'triggerPodAction'
  const known = steps.findings.get(fingerprintOf(situation.operation, one, allowed, observed))
  if (changesPod) stage.pod = null
  if (isNewEach) stage.spent.set(one.mutator, (stage.spent.get(one.mutator) ?? 0) + 1)
  if (known !== undefined) {
    known.count++
    return
  }
  if (stage.refused.length > 0 && stage.pod !== null && (await look(context, stage, path, steps))) return
  const choices: number[] = []
  const fails = async (simpler: FuzzCase) => {
    const pod = isNewEach || stage.pod === null ? await trial.make() : stage.pod
    stage.pod = isNewEach ? null : pod
    const again = await steps.attempt(() => sendTwice(trial, pod, simpler.bytes))
    if ('value' in again && again.value.status < 300 && !isNewEach) stage.pod = null
    const classes = classify(trial.situation(pod), simpler.bytes)
    return observedIn(again) === observed && allowedText(classes) === allowedText(allowed)
  }
  const least = await simplest(one, fails, isNewEach ? tries.onNewPods : tries.onOnePod, choices)
  keep(stage, least, [path, ...choices].join(':'), allowed, observed, steps)
}

async function accepted(
  stage: Stage,
  one: FuzzCase,
  path: string,
  reply: FuzzAnswer,
  seen: readonly Allowed[],
  steps: Steps,
): Promise<void> {
  const before = stage.pod
  if (before === null) return
  const answered = podOf(reply.json, before.exchange)
  const isShown = seen.some(
    ({ after }) =>
      after.kind === 'mounts' && (after.mounts === null || sameMounts(answered?.value.mounts, after.mounts)),
  )
  stage.refused = []
  if (reply.status === 200 && answered !== null && isShown) {
    stage.pod = answered
    return
  }
  const outcome = await steps.attempt(() =>
    stage.trial.accepted(
      before,
      seen.map(({ after }) => after),
      one,
    ),
  )
  stage.pod = 'value' in outcome ? outcome.value : null
  if ('failure' in outcome && !outcome.undecided) keep(stage, one, path, seen, outcome.failure, steps)
}

/** Looks whether the pod has changed under refusals; true where it has: another pod is to be taken then. */
async function look(context: Context, stage: Stage, path: string, steps: Steps): Promise<boolean> {
  const { pod, refused, trial } = stage
  if (pod === null || refused.length === 0) return false
  const outcome = await steps.attempt(() => context.pods.get(pod.id))
  // Whoever gives no answer now is looked at the next time.
  if ('failure' in outcome) return false
  stage.refused = []
  const changed = changesIn(pod, outcome.value)
  if (changed === null) return false
  stage.pod = null
  const culprit = await steps.attempt(() => culpritOf(context, trial, refused))
  const one = 'value' in culprit ? culprit.value : null
  // Where none of them does it again, the read before may have been an old one.
  if (one === null) return true
  keep(stage, one, path, classify(trial.situation(pod), one.bytes), `${steps.clean(changed)} after it`, steps)
  return true
}

function keep(
  stage: Stage,
  one: FuzzCase,
  path: string,
  allowed: readonly Allowed[],
  observed: string,
  { findings, seed, signal }: Steps,
): void {
  signal.throwIfAborted()
  const operation = stage.name.startsWith('updatePod') ? 'updatePod' : 'triggerPodAction'
  const fingerprint = fingerprintOf(operation, one, allowed, observed)
  const known = findings.get(fingerprint)
  if (known !== undefined) {
    known.count++
    return
  }
  const { mutator, place, bytes } = one
  const expected = allowedText(allowed)
  findings.set(fingerprint, {
    operation,
    mutator,
    place,
    expected,
    observed,
    count: 1,
    seed,
    path,
    bytes,
    stage: stage.name,
  })
}

/** A trial of which nothing is sent any more once the signal is aborted. */
function unlessStopped(trial: Trial, signal: AbortSignal): Trial {
  return {
    ...trial,
    async make() {
      signal.throwIfAborted()
      return trial.make()
    },
    async send(...what) {
      signal.throwIfAborted()
      return trial.send(...what)
    },
  }
}

function observedIn(outcome: Outcome<FuzzAnswer>): string {
  return 'value' in outcome ? `status ${outcome.value.status}` : outcome.failure
}

function* takeOf<T>(items: Iterable<T>, count: number): Iterable<T> {
  let left = count
  for (const item of items) {
    if (left-- <= 0) return
    yield item
  }
}

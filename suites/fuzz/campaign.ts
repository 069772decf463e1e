import { outageStatuses } from '../harness/check.ts'
import type { Reply } from '../harness/client/reply.ts'
import type { Context } from '../harness/context.ts'
import { unlessUnanswered } from '../harness/outcome.ts'
import { podOf } from '../harness/read.ts'
import { sameMounts } from '../pods/patching.ts'
import { changesIn, podToTryAgain, sendTwice } from './again.ts'
import type { FuzzCase } from './cases.ts'
import { type FuzzFinding, fingerprintOf } from './findings.ts'
import { readBody } from './oracle/reading.ts'
import { type Allowed, allowedText, classify, isIn, type Situation } from './oracle.ts'
import { culpritOf, simplest } from './play.ts'
import { caseAt, enumeratedOf, type Stage, stagesOf } from './stages.ts'

/** What came of something, or in a few words why nothing did. */
export type Outcome<T> = { readonly value: T } | { readonly failure: string }

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
  /** Whoever sends calls its work once a request is under way: the next case is drawn while the answer is awaited. */
  readonly meanwhile: { work: () => void }
  /** Sends a body to a pod without pacing and record; a 429 is then waited out in the usual way. */
  readonly direct: (situation: Situation, id: string, bytes: Uint8Array) => Promise<FuzzAnswer>
  /** Makes a failure of what is below (no answer, a broken rule) a value. */
  readonly attempt: <T>(work: () => Promise<T>) => Promise<Outcome<T>>
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

/** Tries cases until it is told to stop, past every finding; each is shrunk and kept once for each fingerprint. */
export async function campaign(context: Context, options: CampaignOptions): Promise<void> {
  const stages = stagesOf(context)
  let next = options.from === 'enumeration' ? 0 : enumeratedOf(stages)
  const ahead: { run: number; drawn: ReturnType<typeof caseAt> } = { run: -1, drawn: null }
  options.meanwhile.work = () => {
    if (ahead.run === next) return
    Object.assign(ahead, { run: next, drawn: caseAt(stages, options.seed, next) })
    if (ahead.drawn !== null) readBody(ahead.drawn.one.bytes)
  }
  // Cases of one stage follow each other, for they share a pod.
  const turns = new Map<Stage, Promise<boolean>>()
  const hand = async () => {
    while (options.goesOn()) {
      const run = next++
      const drawn = ahead.run === run ? ahead.drawn : caseAt(stages, options.seed, run)
      if (drawn === null) return options.onCase(false)
      const { one, stage } = drawn
      const before = turns.get(stage) ?? Promise.resolve(false)
      const turn = before.then(() => tryOne(context, stage, one, String(run), options, run % validActionEvery === 0))
      turns.set(stage, turn)
      options.onCase(await turn)
    }
  }
  await Promise.all(Array.from({ length: underWay }, hand))
  await context.clock.sleep(Math.min(lookAfterMs, context.target.tolerances.visibleMs))
  for (const stage of stages) await look(context, stage, 'end', options)
}

/** Sends the case of a seed and path once more, on a pod of its own; null where there is no such path. */
export async function replayCase(context: Context, seed: number, path: string) {
  const [run = 0, ...steps] = path.split(':').map(Number)
  const drawn = caseAt(stagesOf(context), seed, run)
  if (drawn === null) return null
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
  options: CampaignOptions,
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
  if (mayChange && isDue && (await look(context, stage, path, options))) {
    return tryOne(context, stage, one, path, options, sendsValid)
  }
  let isOutage = false
  const outcome = await options.attempt(async () => {
    const first = await unlessUnanswered(options.direct(situation, pod.id, one.bytes))
    let answer = first?.status === 429 ? await unlessUnanswered(trial.send(pod, one.bytes)) : first
    if (answer === null) {
      const next = (await podToTryAgain(context, trial, pod, allowed)) ?? (await trial.make())
      if (next !== pod) Object.assign(stage, { pod: next, refused: [] })
      allowed = classify(trial.situation(next), one.bytes)
      answer = await trial.send(next, one.bytes, { newConnection: true })
    }
    isOutage = outageStatuses.has(answer.status)
    if (isOutage) context.inconclusive(`the target answered ${answer.status}, which tells of an outage`)
    return answer
  })
  if (isOutage) return false
  const status = 'value' in outcome ? outcome.value.status : null
  const seen = allowed.filter(({ answers }) => status !== null && isIn(status, answers))
  if (seen.length === 0) {
    await wrong(context, stage, one, path, outcome, allowed, options)
    return true
  }
  const changes = seen.filter(({ after }) => after.kind !== 'unchanged')
  if (changes.length > 0 && 'value' in outcome) await accepted(stage, one, path, outcome.value, seen, options)
  else stage.refused.push(one)
  if (stage.refused.length >= lookEvery) await look(context, stage, path, options)
  return true
}

async function wrong(
  context: Context,
  stage: Stage,
  one: FuzzCase,
  path: string,
  outcome: Outcome<FuzzAnswer>,
  allowed: readonly Allowed[],
  options: CampaignOptions,
): Promise<void> {
  const { trial } = stage
  const situation = trial.situation(stage.pod ?? (await trial.make()))
  const observed = observedIn(outcome)
  const changesPod = 'value' in outcome && outcome.value.status < 300
  const isNewEach = changesPod && situation.operation === 'triggerPodAction'
  const known = options.findings.get(fingerprintOf(situation.operation, one, allowed, observed))
  if (changesPod) stage.pod = null
  if (isNewEach) stage.spent.set(one.mutator, (stage.spent.get(one.mutator) ?? 0) + 1)
  if (known !== undefined) {
    known.count++
    return
  }
  if (stage.refused.length > 0 && stage.pod !== null && (await look(context, stage, path, options))) return
  const steps: number[] = []
  const fails = async (simpler: FuzzCase) => {
    const pod = isNewEach || stage.pod === null ? await trial.make() : stage.pod
    stage.pod = isNewEach ? null : pod
    const again = await options.attempt(() => sendTwice(trial, pod, simpler.bytes))
    if ('value' in again && again.value.status < 300 && !isNewEach) stage.pod = null
    const classes = classify(trial.situation(pod), simpler.bytes)
    return observedIn(again) === observed && allowedText(classes) === allowedText(allowed)
  }
  const least = await simplest(one, fails, isNewEach ? tries.onNewPods : tries.onOnePod, steps)
  keep(stage, least, [path, ...steps].join(':'), allowed, observed, options)
}

async function accepted(
  stage: Stage,
  one: FuzzCase,
  path: string,
  reply: FuzzAnswer,
  seen: readonly Allowed[],
  options: CampaignOptions,
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
  const outcome = await options.attempt(() =>
    stage.trial.accepted(
      before,
      seen.map(({ after }) => after),
      one,
    ),
  )
  stage.pod = 'value' in outcome ? outcome.value : null
  if ('failure' in outcome) keep(stage, one, path, seen, outcome.failure, options)
}

/** Looks whether the pod has changed under refusals; true where it has: another pod is to be taken then. */
async function look(context: Context, stage: Stage, path: string, options: CampaignOptions): Promise<boolean> {
  const { pod, refused, trial } = stage
  if (pod === null || refused.length === 0) return false
  const outcome = await options.attempt(() => context.pods.get(pod.id))
  // Whoever gives no answer now is looked at the next time.
  if ('failure' in outcome) return false
  stage.refused = []
  const changed = changesIn(pod, outcome.value)
  if (changed === null) return false
  stage.pod = null
  const culprit = await options.attempt(() => culpritOf(context, trial, refused))
  const one = 'value' in culprit ? culprit.value : null
  // Where none of them does it again, the read before may have been an old one.
  if (one !== null) keep(stage, one, path, classify(trial.situation(pod), one.bytes), `${changed} after it`, options)
  return true
}

function keep(
  stage: Stage,
  one: FuzzCase,
  path: string,
  allowed: readonly Allowed[],
  observed: string,
  { findings, seed }: CampaignOptions,
): void {
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

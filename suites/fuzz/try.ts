import { outageStatuses } from '../harness/check.ts'
import type { Reply } from '../harness/client/reply.ts'
import type { Context } from '../harness/context.ts'
import { unlessUnanswered } from '../harness/outcome.ts'
import { podOf } from '../harness/read.ts'
import { sameMounts } from '../pods/patching.ts'
import { changesIn, podToTryAgain, sendTwice } from './again.ts'
import type { FuzzCase } from './cases.ts'
import { type FuzzFinding, fingerprintOf } from './findings.ts'
import { type Allowed, allowedText, classify, isIn, type Situation } from './oracle.ts'
import { culpritOf, simplest } from './play.ts'
import type { Stage } from './stages.ts'

/** What came of something, or in a few words why nothing did; `undecided` where that says nothing of the target. */
export type Outcome<T> = { readonly value: T } | { readonly failure: string; readonly undecided: boolean }

/** What of an answer the loop looks at. */
export type FuzzAnswer = Pick<Reply, 'status' | 'json'>

/** What the steps of a case share. */
export interface Steps {
  readonly seed: number
  readonly findings: Map<string, FuzzFinding>
  /** A text of the target as it may be kept: without secrets, and not long. */
  readonly clean: (text: string) => string
  /** Makes a failure of what is below (no answer, a broken rule) a value that may be kept. */
  readonly attempt: <T>(work: () => Promise<T>) => Promise<Outcome<T>>
  readonly direct: (situation: Situation, id: string, bytes: Uint8Array) => Promise<FuzzAnswer>
  /** Aborted where a hand has failed. */
  readonly signal: AbortSignal
}

/** Refusals between two looks at a pod. */
const lookEvery = 64
/** Refusals after which a pod is looked at before a body that may be accepted. */
const lookBeforeChange = 16
/** New pods that one mutator may cost on one stage, where each body of its kind is carried out and must not be. */
const newPodsEach = 3
/** Simpler cases that are tried of a finding, and of one that takes a new pod each time. */
const tries = { onOnePod: 200, onNewPods: 6 } as const

/** Tries a case on the pod of its stage, and keeps what is wrong; whether it was sent. */
export async function tryOne(
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
export async function look(context: Context, stage: Stage, path: string, steps: Steps): Promise<boolean> {
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

function observedIn(outcome: Outcome<FuzzAnswer>): string {
  return 'value' in outcome ? `status ${outcome.value.status}` : outcome.failure
}

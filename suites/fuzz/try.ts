import type { Reply } from '../../harness/client/reply.ts'
import { type PodView, podOf } from '../../harness/exchange/read.ts'
import { outageStatuses } from '../../harness/rule/check.ts'
import type { Context } from '../../harness/rule/context.ts'
import { unlessUnanswered } from '../../harness/rule/outcome.ts'
import { sameMounts } from '../shared/patching.ts'
import { podToTryAgain } from './again.ts'
import type { FuzzFinding } from './findings.ts'
import { answerIn, judge } from './judge.ts'
import { giveUp, look, payOwed } from './look.ts'
import { type Allowed, isIn } from './oracle.ts'
import { isSpent, type Sent, type Stage } from './stages.ts'
import { allowedOf, asideAfter, isChange, lookAfterMs, withMountsOf, withoutPod } from './trial.ts'

/** What came of something, or in a few words why nothing did; `undecided` where that says nothing of the target. */
export type Outcome<T> = { readonly value: T } | Failure

export interface Failure {
  readonly failure: string
  readonly undecided: boolean
  /** What was expected instead, where a rule was broken. */
  readonly expected?: string
  /** The same at length, where nothing was broken. */
  readonly reason?: string
}

/** What of an answer the loop looks at. */
export type FuzzAnswer = Pick<Reply, 'status' | 'json'>

/** What the steps of a case share. */
export interface Steps {
  readonly seed: number
  readonly findings: Map<string, FuzzFinding>
  /** Why no pod was made, each reason with the stages that it concerns. */
  readonly unmade: Map<string, Set<string>>
  /** Bodies that had no whole answer, where nothing shows that they are why. */
  readonly silent: string[]
  /** What was seen and is no finding, as sentences. */
  readonly notes: Set<string>
  /** A text of the target as it may be kept: without secrets, and not long. */
  readonly clean: (text: string) => string
  /** Makes a failure of what is below (no answer, no pod, a broken rule) a value that may be kept. */
  readonly attempt: <T>(work: () => Promise<T>) => Promise<Outcome<T>>
  readonly direct: (stage: Pick<Stage, 'operation'>, id: string, bytes: Uint8Array) => Promise<FuzzAnswer>
  /** Whether waiting takes no real time, so that each look at a pod waits for what comes late. */
  readonly isTimeFree: boolean
  /** Told of each case that was sent: why no answer came that says something, or null. */
  readonly came: (failure: Failure | null) => void
  /** Removes a pod that is of no more use. */
  readonly drop: (pod: PodView) => Promise<void>
  /** Aborted where a hand has failed. */
  readonly signal: AbortSignal
}

/** A case with the path that draws it again. */
export type Drawn = Pick<Sent, 'one' | 'path'>

/** Cases between two looks at a pod. */
const lookEvery = 64
/** Refusals after which a pod is looked at before a body that may be accepted. */
const lookBeforeChange = 16
/** Cases of which nobody knows yet that they came to nothing, after which they are given the time to show it. */
const mostUnsettled = 1_024
/** Cases of a stage without a pod until one is asked for again. */
const podlessCases = 256

/** Tries a case on the pod of its stage, and keeps what is wrong; whether it was sent. */
export async function tryOne(
  context: Context,
  stage: Stage,
  drawn: Drawn,
  steps: Steps,
  sendsValid: boolean,
): Promise<boolean> {
  const { one } = drawn
  await payOwed(context, stage, steps)
  const own = await podFor(stage, steps)
  const trial = own === null ? withoutPod(stage.trial) : stage.trial
  const pod = own ?? (await trial.make())
  let allowed = allowedOf(trial, pod, one.bytes)
  const mayChange = allowed.some(isChange)
  if (stage.operation === 'triggerPodAction' && mayChange && !sendsValid) return false
  if (isSpent(stage, one)) return false
  // An accepted body would hide what the refused ones before it have done.
  const isDue = one.simpler === undefined || stage.sent.length >= lookBeforeChange
  if (mayChange && isDue && (await look(context, stage, steps))) {
    return tryOne(context, stage, drawn, steps, sendsValid)
  }
  const outcome = await steps.attempt(async () => {
    const first = await unlessUnanswered(steps.direct(stage, pod.id, one.bytes))
    let answer = first?.status === 429 ? await unlessUnanswered(trial.send(pod, one.bytes)) : first
    if (answer === null) {
      const next = (await podToTryAgain(context, trial, pod, allowed)) ?? (await trial.make())
      if (next !== pod && own !== null) {
        await giveUp(stage, steps)
        stage.pod = next
      }
      allowed = allowedOf(trial, next, one.bytes)
      answer = await trial.send(next, one.bytes, { newConnection: true })
    }
    if (outageStatuses.has(answer.status)) {
      context.inconclusive(`the target answered ${answer.status}, which is an outage`)
    }
    return answer
  })
  steps.came('failure' in outcome ? outcome : null)
  if ('failure' in outcome && outcome.undecided) return false
  const status = 'value' in outcome ? outcome.value.status : null
  const seen = allowed.filter(({ answers }) => status !== null && isIn(status, answers))
  if (seen.length === 0 || !('value' in outcome)) {
    const isJudged = await judge(context, stage, { trial, drawn, allowed, observed: answerIn(outcome), status }, steps)
    return isJudged || tryOne(context, stage, drawn, steps, sendsValid)
  }
  if (seen.some(isChange)) await accepted(context, stage, drawn, outcome.value, seen, steps)
  else if (own !== null) stage.sent.push({ ...drawn, isAccepted: false, seenMs: null })
  const isFull = stage.sent.length >= mostUnsettled
  if (isFull) await context.clock.sleep(lookAfterMs(context))
  if (++stage.unlooked >= lookEvery || isFull) await look(context, stage, steps)
  return true
}

/** The pod of a stage; null as long as the target makes none. */
async function podFor(stage: Stage, { attempt, unmade }: Steps): Promise<PodView | null> {
  if (stage.pod !== null) return stage.pod
  if (stage.podlessFor > 0) {
    stage.podlessFor--
    return null
  }
  const made = await attempt(() => stage.trial.make())
  if ('value' in made) {
    stage.pod = made.value
    return made.value
  }
  stage.podlessFor = podlessCases
  unmade.set(made.failure, (unmade.get(made.failure) ?? new Set()).add(stage.name))
  return null
}

async function accepted(
  context: Context,
  stage: Stage,
  drawn: Drawn,
  reply: FuzzAnswer,
  seen: readonly Allowed[],
  steps: Steps,
): Promise<void> {
  const before = stage.pod
  if (before === null) return
  const after = seen.map((one) => one.after)
  const goOn = (now: PodView) => {
    stage.pod = withMountsOf(before, now)
    stage.aside = asideAfter(stage.aside, drawn.one, after)
    stage.sent.push({ ...drawn, isAccepted: true, seenMs: null })
  }
  const answered = podOf(reply.json, before.exchange)
  const isShown = seen.some(
    ({ after }) => after.kind === 'mounts' && after.mounts !== null && sameMounts(answered?.value.mounts, after.mounts),
  )
  if (reply.status === 200 && answered !== null && isShown) return goOn(answered)
  const outcome = await steps.attempt(() => stage.trial.accepted(before, after, drawn.one))
  if ('value' in outcome && outcome.value !== null) return goOn(outcome.value)
  if ('value' in outcome || outcome.undecided) return giveUp(stage, steps)
  const what = { trial: stage.trial, drawn, allowed: seen, status: reply.status }
  await judge(context, stage, { ...what, observed: answerIn(outcome), also: outcome.expected }, steps)
}

import type { ApiResponse } from '../../harness/client/api-response.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import { type PodView, podOf } from '../../harness/exchange/read.ts'
import { inconclusiveIfNoCapacity } from '../../harness/planes/pods/access.ts'
import { inconclusiveIfOutage } from '../../harness/rule/check.ts'
import { responseTo, unlessUnanswered } from '../../harness/rule/outcome.ts'
import { sameMounts } from '../shared/patching.ts'
import { bodySaid } from './cases.ts'
import { judge, observedIn } from './judge.ts'
import { addRefused, giveUp, lookAtPod, payOwed } from './look.ts'
import { type Allowed, allowsNoSuccess, isIn, isLeft } from './oracle.ts'
import { changesIn } from './player.ts'
import { isSpent, type Subject } from './stages.ts'
import type { Drawn, Steps } from './steps.ts'
import { allowedOf, asideAfter, isChange, lookAfterMs, type Trial, withMountsOf, withoutPod } from './trial.ts'

/** Cases between two looks at a pod. */
const lookEvery = 64
/** Refusals after which a pod is looked at before a body that may be accepted. */
const lookBeforeChange = 16
/** Cases whose effects are still unknown, after which the loop waits for late effects. */
const maxUnsettled = 1_024
/** Cases of a stage without a pod until one is asked for again. */
const podlessCases = 256

/** Tries a case on the pod of its stage, and records a finding. Resolves with true if it was sent. */
export async function tryOne(stage: Subject, drawn: Drawn, steps: Steps, sendsValid: boolean): Promise<boolean> {
  const { context } = steps
  const { one } = drawn
  await payOwed(stage, steps)
  const own = await podFor(stage, steps)
  const trial = own === null ? withoutPod(stage.trial) : stage.trial
  const pod = own ?? (await trial.make())
  let allowed = allowedOf(trial, pod, one.bytes)
  const mayChange = allowed.some(isChange)
  if (trial.operation === 'triggerPodAction' && mayChange && !sendsValid) return false
  if (isSpent(stage, one)) return false
  // An accepted body would hide what the refused ones before it have done.
  const isDue = steps.isRule || one.simpler === undefined || stage.sent.length >= lookBeforeChange
  if (mayChange && isDue && (await lookAtPod(stage, steps))) {
    return tryOne(stage, drawn, steps, sendsValid)
  }
  const outcome = await steps.outcomeOf(async () => {
    const options = { harmless: !mayChange, isWrong: allowsNoSuccess(allowed) }
    const first = await unlessUnanswered(steps.direct(trial, pod, one.bytes, options))
    const isLimited = first?.status === 429
    let answer = isLimited ? await unlessUnanswered(trial.send(pod, one.bytes, options)) : first
    if (answer === null) {
      // It may have been carried out.
      const next = mayChange ? await trial.make() : await podToTryAgain(trial, pod, drawn, steps)
      if (next !== pod && own !== null) {
        await giveUp(stage, steps)
        stage.pod = next
      }
      allowed = allowedOf(trial, next, one.bytes)
      answer = await responseTo(bodySaid(one), trial.send(next, one.bytes, { newConnection: true }))
    }
    inconclusiveIfOutage(answer)
    return answer
  })
  steps.came('failure' in outcome ? outcome : null)
  if ('failure' in outcome && outcome.undecided) return false
  const status = 'value' in outcome ? outcome.value.status : null
  const seen = allowed.filter(({ answers }) => status !== null && isIn(status, answers))
  if (steps.isRule && status !== null && isLeft(status, allowed)) {
    stage.isLeft = own !== null
    // One look serves for all refusals until a body is accepted.
    if (isSuccess(status)) {
      stage.leftUntilMs = context.clock.now() + context.target.tolerances.visibleMs
      await lookAtPod(stage, steps)
    }
    return true
  }
  if (seen.length === 0 || !('value' in outcome)) {
    const answer = 'value' in outcome ? outcome.value : null
    if (steps.isRule && answer !== null) inconclusiveIfNoCapacity(context, answer)
    const wrong = { drawn, allowed, observed: observedIn(outcome), answer, isPodless: trial.isPodless }
    return (await judge(stage, wrong, steps)) || tryOne(stage, drawn, steps, sendsValid)
  }
  if (steps.isRule) context.check('answer').saw(outcome.value)
  if (seen.some(isChange)) await accepted(stage, drawn, outcome.value, seen, steps)
  else if (own !== null) addRefused(stage, drawn, steps)
  const isFull = stage.sent.length >= maxUnsettled
  if (isFull) await context.clock.sleep(lookAfterMs(context))
  if ((++stage.unlooked >= lookEvery && !steps.isRule) || isFull) await lookAtPod(stage, steps)
  return true
}

/** The pod for a body that had no complete response and must be refused: another one if the pod has changed. */
async function podToTryAgain(trial: Trial, pod: PodView, { one }: Drawn, { context, isRule }: Steps): Promise<PodView> {
  if (changesIn(pod, await context.pods.get(pod.id)) === null) return pod
  if (isRule) context.inconclusive(`${bodySaid(one)} had no whole response, and the pod has changed`)
  return trial.make()
}

/** The pod of a stage; null as long as the target makes none. */
export async function podFor(stage: Subject, { outcomeOf, log: { unmade } }: Steps): Promise<PodView | null> {
  if (stage.pod !== null || stage.trial.isPodless) return stage.pod
  if (stage.podlessFor > 0) {
    stage.podlessFor--
    return null
  }
  const made = await outcomeOf(() => stage.trial.make())
  if ('value' in made) {
    stage.pod = made.value
    return made.value
  }
  stage.podlessFor = podlessCases
  unmade.set(made.failure, (unmade.get(made.failure) ?? new Set()).add(stage.name))
  return null
}

async function accepted(stage: Subject, drawn: Drawn, response: ApiResponse, seen: readonly Allowed[], steps: Steps) {
  const before = stage.pod
  if (before === null) return
  const after = seen.map((one) => one.after)
  const goOn = (now: PodView) => {
    stage.pod = steps.isRule ? now : withMountsOf(before, now)
    stage.aside = asideAfter(stage.aside, drawn.one, after)
    stage.sent.push({ ...drawn, isAccepted: true, sentMs: steps.context.clock.now() })
  }
  const answered = steps.isRule ? null : podOf(response.json, before.exchange)
  const isShown = seen.some(
    ({ after }) => after.kind === 'mounts' && after.mounts !== null && sameMounts(answered?.value.mounts, after.mounts),
  )
  if (response.status === 200 && answered !== null && isShown) return goOn(answered)
  const outcome = await steps.outcomeOf(() => stage.trial.accepted(before, after, drawn.one))
  if ('value' in outcome && outcome.value !== null) return goOn(outcome.value)
  if ('value' in outcome || outcome.undecided) return giveUp(stage, steps)
  const what = { drawn, allowed: seen, answer: response, isPodless: false }
  await judge(stage, { ...what, observed: observedIn(outcome), also: outcome.expected }, steps)
}

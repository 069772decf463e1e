import type { ApiResponse } from '../../harness/client/api-response.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import type { PodView } from '../../harness/exchange/read.ts'
import { noSuchPod } from '../../harness/planes/pods/client.ts'
import type { Context } from '../../harness/rule/context.ts'
import { unlessUnanswered } from '../../harness/rule/outcome.ts'
import { bodySaid, type FuzzCase } from './cases.ts'
import { addNote, addRefused, findCauses, giveUp, lookAtPod } from './look.ts'
import { allowedText } from './oracle.ts'
import { createPlayer, type Played } from './player.ts'
import { pinDown, simplest } from './shrink.ts'
import { type Subject, spend } from './stages.ts'
import type { Drawn, Outcome, Seen, Steps } from './steps.ts'
import { allowedOf, sendTwice, type Trial, withoutPod } from './trial.ts'

/** A case with a forbidden result. After a success nobody knows how the pod is. */
type WrongCase = Omit<Seen, 'cases' | 'change'> & {
  readonly drawn: Drawn
  readonly isPodless: boolean
}

/** Simpler cases that are tried of a finding, and of one that takes a new pod each time. */
const tries = { onOnePod: 200, onNewPods: 6 } as const

/** The requests that had no whole response. */
export const noResponse = 'no complete response'

/**
 * Keeps a case with a forbidden result: alone if it has that on a new pod, else after those of the earlier cases that it
 * takes. Returns false if an earlier case has changed the pod; then it is tried again on another one.
 */
export async function judge(stage: Subject, wrong: WrongCase, steps: Steps): Promise<boolean> {
  const late = () =>
    noteOnce(stage, wrong, [...stage.accepted, ...stage.sent], 'the run ended before it came again', steps)
  steps.log.undecided.add(late)
  const isJudged = await decide(stage, wrong, steps)
  steps.log.undecided.delete(late)
  return isJudged
}

/** Notes a wrong response that nobody knows how to get again. */
function noteOnce(stage: Subject, { drawn, observed }: WrongCase, before: readonly Drawn[], why: string, steps: Steps) {
  if (observed === noResponse) noteSilence(drawn, steps)
  else addNote(stage, [...before, drawn], `${observed} to ${bodySaid(drawn.one)} came once, and ${why}`, steps)
}

async function decide(stage: Subject, wrong: WrongCase, steps: Steps): Promise<boolean> {
  const { context } = steps
  const { drawn, observed } = wrong
  const trial = wrong.isPodless ? withoutPod(stage.trial) : stage.trial
  if (steps.isKnown(stage, { ...wrong, cases: [drawn] })) {
    await moveOn(stage, wrong, steps)
    return true
  }
  if (observed === noResponse && !(await isThere(context))) {
    await moveOn(stage, wrong, steps)
    noteSilence(drawn, steps)
    return true
  }
  const play = createPlayer(context, trial, { drop: steps.drop, looks: false })
  const shows = async (cases: readonly Drawn[]): Promise<true | null> => {
    const seen = wrongIn(await steps.outcomeOf(() => play(cases.map(({ one }) => one))))
    return seen === observed && (seen !== noResponse || (await isThere(context))) ? true : null
  }
  if (await shows([drawn])) {
    await moveOn(stage, wrong, steps)
    steps.keep(stage, { ...wrong, cases: [await leastOf(stage, trial, wrong, shows, steps)] })
    return true
  }
  // Before it is the response that is wrong, it is the pod: an earlier case may have changed it, or be about to.
  const before = [...stage.accepted, ...stage.sent]
  const isPodWrong = (await findCauses(stage, stage.sent, steps)).isFound
  if (isPodWrong) stage.sent = []
  await moveOn(stage, wrong, steps)
  if (isPodWrong || (await lookAtPod(stage, steps))) {
    await giveUp(stage, steps)
    return false
  }
  const pinned = await pinDown(before, (cases) => shows([...cases, drawn]))
  if (pinned !== null) steps.keep(stage, { ...wrong, cases: [...pinned.cases, drawn] })
  else if (steps.isRule && observed !== noResponse) steps.keep(stage, { ...wrong, cases: [drawn] })
  else noteOnce(stage, wrong, before, 'not again on a new pod', steps)
  return true
}

/** Leaves the pod of a stage as it is to be after a case: another one if nobody knows what became of it. */
async function moveOn(stage: Subject, { isPodless, drawn, answer }: WrongCase, steps: Steps): Promise<void> {
  const isCarriedOut = answer !== null && isSuccess(answer.status)
  if (isCarriedOut && takesNewPods(stage)) spend(stage, drawn.one)
  if (isCarriedOut) await giveUp(stage, steps)
  else if (!isPodless) addRefused(stage, drawn, steps)
}

/** True if each body that is carried out uses up a pod. */
function takesNewPods({ trial: { operation } }: Subject): boolean {
  return operation === 'triggerPodAction'
}

/** The result of a case as an observation. */
export function observedIn(outcome: Outcome<ApiResponse>): string {
  if ('value' in outcome) return `status ${outcome.value.status}`
  return outcome.expected === undefined ? outcome.failure : `a success, and then ${outcome.failure}`
}

/** The failure of the last of the cases that were played; null if there is none. */
export function wrongIn(outcome: Outcome<Played>): string | null {
  if ('failure' in outcome) return observedIn(outcome)
  const { response, isAllowed, change } = outcome.value
  if (!isAllowed) return observedIn({ value: response })
  return change === null ? null : `status ${response.status}, and then ${change.text}`
}

/** The simplest case that comes to the same, which it does on a new pod too. */
async function leastOf(
  stage: Subject,
  trial: Trial,
  { drawn, allowed, observed, also, answer }: WrongCase,
  shows: (cases: readonly Drawn[]) => Promise<true | null>,
  steps: Steps,
): Promise<Drawn> {
  // What is carried out in a wrong way shows in the pod alone.
  if (also !== undefined) return drawn
  const isNewEach = answer !== null && isSuccess(answer.status) && takesNewPods(stage)
  let pod: PodView | null = null
  const isSame = async (one: FuzzCase) => {
    const made = await steps.outcomeOf(async () => pod ?? (await trial.make()))
    if ('failure' in made) return false
    const used = made.value
    const again = await steps.outcomeOf(() => sendTwice(trial, used, one.bytes))
    const isSpoiled = isNewEach || !('value' in again) || isSuccess(again.value.status)
    if (isSpoiled) await steps.drop(used)
    pod = isSpoiled ? null : used
    return observedIn(again) === observed && allowedText(allowedOf(trial, used, one.bytes)) === allowedText(allowed)
  }
  const least = await simplest(drawn, isSame, isNewEach ? tries.onNewPods : tries.onOnePod)
  if (pod !== null) await steps.drop(pod)
  return least !== drawn && (await shows([least])) ? least : drawn
}

/** True if the target responds at all. */
async function isThere({ pods }: Context): Promise<boolean> {
  return (await unlessUnanswered(pods.get(noSuchPod, { raw429: true }))) !== null
}

function noteSilence({ one, path }: Drawn, { log: { silent }, seed }: Steps): void {
  silent.push(`${bodySaid(one)} (--seed ${seed} --path ${path})`)
}

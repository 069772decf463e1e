import type { ApiResponse } from '../../harness/client/api-response.ts'
import { type PodView, podOf } from '../../harness/exchange/read.ts'
import type { FuzzCase } from './cases.ts'
import { isLeft } from './oracle.ts'
import { changesIn, changesOf, createPlayer, type Played } from './player.ts'
import { type PinnedDown, pinDown, simplest } from './shrink.ts'
import { podless, type Sent, type Subject, spend } from './stages.ts'
import type { Drawn, Steps } from './steps.ts'
import { lookAfterMs } from './trial.ts'

/** The expectation after a refusal. */
export const unchanged = 'nothing of the pod is changed'

const whileRefused = 'appeared on a pod while bodies were refused'

/** Changes of one stage that are pinned down to cases, each at the cost of several pods. */
const searchesEach = 8
/** Accepted cases of a pod that are kept in mind: the last ones decide how it is. */
const acceptedKept = 16
/** Cases of pods that were given up which are sent to another one together. */
const owedAtOnce = 64
/** Simpler cases that are tried of one that changes a pod. */
const simplerTries = 6
/** Statuses that a pod may reach by itself, or by an act of its platform. */
const movesByItself = ['status', 'actions', 'dataCenterId'] as const

/**
 * Reads the pod of a stage, and keeps a finding for the refused cases that changed it. If another row judges one of the
 * responses, a change is no finding.
 * @returns true if the pod has changed, so that another one must be used
 */
export async function lookAtPod(stage: Subject, steps: Steps): Promise<boolean> {
  const { context } = steps
  const { pod, sent, aside, isLeft, leftUntilMs } = stage
  const isSeen = !isLeft && (steps.isRule ? sent.every(({ isAccepted }) => isAccepted) : sent.length === 0)
  if (pod === null || isSeen) return false
  if (steps.isTimeFree) await context.clock.sleep(lookAfterMs(context))
  const outcome = await steps.outcomeOf(() => context.pods.get(pod.id))
  // No response: the next look checks this pod again.
  if ('failure' in outcome) return false
  stage.unlooked = 0
  stage.isLeft = false
  if (steps.isRule && !isLeft) context.check('unchanged').saw(outcome.value)
  const mayBeLeft = isLeft || outcome.value.exchange.sent.target < leftUntilMs
  const changed = changesIn(pod, outcome.value, aside)
  if (changed === null) {
    dropSettled(stage, steps)
    return false
  }
  const late = () => {
    const text = `${steps.clean(changed)} ${whileRefused}, and the run ended before the cause was found`
    addNote(stage, [...stage.accepted, ...sent], text, steps)
  }
  steps.log.undecided.add(late)
  const blamed = await findCauses(stage, sent, steps)
  steps.log.undecided.delete(late)
  if (mayBeLeft) {
    stage.sent = []
    await giveUp(stage, steps)
    return true
  }
  if (!blamed.isFound) {
    // A read may lag: by the time that a write takes to be visible, it shows the pod as it is.
    const rest = await steps.outcomeOf(() =>
      context.settle(
        pod.id,
        (_, now) => now !== null && changesOf(pod, now, aside) === null,
        context.target.tolerances.visibleMs,
      ),
    )
    if ('value' in rest && rest.value.settled) return false
    if (steps.isRule)
      context.inconclusive(
        `${changed} after refused bodies, and not when they were sent to a new pod: nothing shows which did it`,
      )
    if ('value' in rest) noteUnexplained(stage, pod, rest.value.response, blamed.failure, steps)
  }
  stage.sent = []
  await giveUp(stage, steps)
  return true
}

/** Notes that the pod of a stage has refused a body. */
export function addRefused(stage: Subject, drawn: Drawn, { context, log }: Steps): void {
  const sent = { ...drawn, isAccepted: false, sentMs: context.clock.now() }
  stage.sent.push(sent)
  log.refused++
  log.unsettled.add(sent)
}

/** Gives up the pod of a stage. Refusals whose late effects it could not show yet are owed. */
export async function giveUp(stage: Subject, { drop }: Pick<Steps, 'drop'>): Promise<void> {
  const { pod, sent } = stage
  const owed = sent.filter(({ isAccepted }) => !isAccepted)
  Object.assign(stage, podless(), { owed: [...stage.owed, ...owed] })
  if (pod !== null) await drop(pod)
}

/** Sends what is owed to a new pod and looks at that one, once there are `least` cases. */
export async function payOwed(stage: Subject, steps: Steps, least = owedAtOnce): Promise<void> {
  const { owed } = stage
  if (owed.length < least) return
  stage.owed = []
  await findCauses(stage, owed, steps)
}

/** Forgets cases whose late effects the read just now would have shown, and remembers what was accepted. */
function dropSettled(stage: Subject, { context, isTimeFree, log }: Steps): void {
  // Time that is free was waited for before the read.
  const lastMs = context.clock.now() - (isTimeFree ? 0 : lookAfterMs(context))
  const settled = stage.sent.filter(({ sentMs }) => sentMs <= lastMs)
  for (const each of settled) log.unsettled.delete(each)
  stage.accepted = [...stage.accepted, ...settled.filter(({ isAccepted }) => isAccepted)].slice(-acceptedKept)
  stage.sent = stage.sent.filter(({ sentMs }) => sentMs > lastMs)
}

/**
 * Keeps a finding for each few of these cases that change a pod.
 * @returns `isFound`: there are any, which is assumed once this stage has had enough searches; `failure`: why they could not
 * be tried, or null
 */
export async function findCauses(stage: Subject, sent: readonly Sent[], steps: Steps) {
  const play = createPlayer(steps.context, stage.trial, steps)
  let failure: string | null = null
  const changes = async (cases: readonly Sent[]): Promise<Changed | null> => {
    const outcome = await steps.outcomeOf(() => play(cases.map(({ one }) => one)))
    if ('failure' in outcome) failure = outcome.failure
    else for (const each of cases) steps.log.unsettled.delete(each)
    return 'value' in outcome && outcome.value.change !== null ? (outcome.value as Changed) : null
  }
  const refused = sent.filter(({ isAccepted }) => !isAccepted)
  let isFound = refused.length > 0 && stage.searches >= searchesEach
  let left = refused
  for (;;) {
    const suspect = left.find(({ one }) => stage.spent.has(one.mutator))
    const known = suspect === undefined ? null : await pinDown([suspect], changes)
    const pinned = known ?? (stage.searches < searchesEach ? await pinDown(left, changes) : null)
    if (pinned === null) break
    isFound = true
    const culprit = await keepPinned(stage, pinned, changes, steps)
    left = left.filter(({ one }) => one.mutator !== culprit.one.mutator)
  }
  const all = [...stage.accepted, ...sent]
  if (!isFound && all.some(({ isAccepted }) => isAccepted)) {
    const pinned = await pinDown(all, changes)
    if (pinned !== null) await keepPinned(stage, pinned, changes, steps)
    isFound = pinned !== null
  }
  return { isFound, failure }
}

type Changed = Played & { readonly change: NonNullable<Played['change']> }

/** Keeps the cases that change a pod, simpler if one is enough; the last of them. */
async function keepPinned(
  stage: Subject,
  pinned: PinnedDown<Sent, Changed>,
  changes: (cases: readonly Sent[]) => Promise<Changed | null>,
  steps: Steps,
): Promise<Sent> {
  const last = pinned.cases.at(-1)
  if (last === undefined) throw new Error('a cause needs at least one case')
  stage.searches++
  spend(stage, last.one)
  let { seen } = pinned
  const isSame = async (one: FuzzCase) => {
    const again = await changes([{ ...last, one }])
    if (again?.change.text !== pinned.seen.change.text) return false
    seen = again
    return true
  }
  const least = pinned.cases.length === 1 ? await simplest(last, isSame, simplerTries) : last
  const cases = [...pinned.cases.slice(0, -1), least]
  const { allowed, change, response } = seen
  // The row that judges the response judges its effect as well.
  if (steps.isRule && isLeft(response.status, allowed)) return last
  const observed = `status ${response.status}, and then ${steps.clean(change.text)}`
  steps.keep(stage, { cases, allowed, observed, answer: response, change, also: unchanged })
  return last
}

/** Notes a change that no case shows again. */
function noteUnexplained(
  stage: Subject,
  pod: PodView,
  response: ApiResponse,
  failure: string | null,
  steps: Steps,
): void {
  const { aside } = stage
  const observed = steps.clean(changesIn(pod, response, aside) ?? '')
  const now = response.status === 200 ? podOf(response.json, response.exchange.n) : null
  const isOwn = now === null || changesOf(pod, now, [...aside, ...movesByItself]) === null
  const again = failure === null ? 'not again on a new pod' : `could not be tried on a new pod: ${failure}`
  const text = `${observed} ${whileRefused}${isOwn ? ', which a pod may change by itself' : ''}, and ${again}`
  addNote(stage, [...stage.accepted, ...stage.sent], text, steps)
}

/** Tells of something that is not a finding, and of the cases that were sent before. */
export function addNote({ name }: Subject, cases: readonly Drawn[], text: string, { log, seed }: Steps): void {
  const path = cases.map((each) => each.path).join()
  log.notes.add(`${name}: ${text}: no finding (--seed ${seed} --path ${path})`)
}

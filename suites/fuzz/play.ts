import type { Reply } from '../../harness/client/reply.ts'
import type { PodView } from '../../harness/exchange/read.ts'
import { outageStatuses } from '../../harness/rule/check.ts'
import type { Context } from '../../harness/rule/context.ts'
import { answerTo, unlessUnanswered } from '../../harness/rule/outcome.ts'
import { changesIn, changesOf, podToTryAgain, sendTwice } from './again.ts'
import { asIs, caseSaid, casesText, caseText, type FuzzCase } from './cases.ts'
import { type Allowed, allowedText, classify, isIn, isLeft, type Situation } from './oracle.ts'
import { pinDown } from './pin-down.ts'
import { createPlayer } from './player.ts'
import { allowedOf, asideAfter, isChange, lookAfterMs, type Trial } from './trial.ts'

/** A pod that cases are played on, and what it was sent. */
export interface Subject {
  /** Null where another one is to be made. */
  pod: PodView | null
  /** Accepted since it was made: some faults show only after them. */
  accepted: readonly FuzzCase[]
  /** Fields that may change at any time since. */
  aside: ReadonlySet<string>
  /** Refused since it was last seen unchanged. */
  refused: readonly FuzzCase[]
}

/** How many simpler cases of a finding are tried. */
const simplerTries = 24

export function createSubject(): Subject {
  return { pod: null, accepted: [], aside: new Set(), refused: [] }
}

/**
 * Tries cases in turn, on the pod of a subject or on one of its own. Whatever is refused leaves the pod as it was, so
 * one pod serves until a body is accepted. Those that may be accepted come last.
 */
export async function playAll(
  context: Context,
  trial: Trial,
  cases: readonly FuzzCase[],
  subject: Subject = createSubject(),
): Promise<void> {
  const podAtHand = async () => subject.pod ?? renewed(subject, await trial.make())
  for (const one of inOrder(cases, trial.situation(await podAtHand()))) {
    let pod = await podAtHand()
    let allowed = allowedOf(trial, pod, one.bytes)
    if (allowed.some(isChange)) await expectUnchanged(context, trial, subject, pod)
    let reply = await unlessUnanswered(trial.send(pod, one.bytes))
    if (reply === null) {
      const next = (await podToTryAgain(context, trial, pod, allowed)) ?? lost(context, one)
      if (next !== pod) pod = renewed(subject, next)
      allowed = allowedOf(trial, pod, one.bytes)
      reply = await answerTo(bodySaid(one), trial.send(pod, one.bytes, { newConnection: true }))
    }
    if (isLeft(reply.status, allowed)) {
      if (!(await isAsBefore(context, trial, subject, pod))) renewed(subject, null)
      continue
    }
    const seen = allowed.filter(({ answers }) => isIn(reply.status, answers))
    if (seen.length === 0) await wrongAnswer(context, trial, subject, { one, allowed, reply, pod })
    context.check('answer').saw(reply)
    if (!seen.some(isChange)) {
      subject.refused = [...subject.refused, one]
      continue
    }
    const after = seen.map(({ after }) => after)
    const next = await trial.accepted(pod, after, one)
    if (next === null) renewed(subject, null)
    else {
      const aside = asideAfter(subject.aside, one, after)
      Object.assign(subject, { pod: next, accepted: [...subject.accepted, one], aside })
    }
  }
  if (subject.pod !== null) await expectUnchanged(context, trial, subject, subject.pod)
}

/** What is wrong with a case as an observation: `status 200 to padded at $.action`. */
export function answerText({ status }: Reply, one: FuzzCase): string {
  return `status ${status} to ${caseText(one)}`
}

/** A body and what is odd about it, as the beginning of a sentence. */
export function bodySaid(one: FuzzCase): string {
  return `${bodyText(one.bytes)} (${caseSaid(one)})`
}

/** A body as a short text, with everything that does not print as an escape. */
export function bodyText(bytes: Uint8Array): string {
  if (bytes.length === 0) return 'no body'
  const text = [...new TextDecoder().decode(bytes)]
    .map((character) =>
      /[\p{C}\p{Z}]/u.test(character) && character !== ' ' ? JSON.stringify(character).slice(1, -1) : character,
    )
    .join('')
  return text.length > 120 ? `${text.slice(0, 119)}…` : text
}

/** Cases that a pod in this situation is to refuse first, those that change it later, plain bodies last. */
export function inOrder(cases: readonly FuzzCase[], situation: Situation): FuzzCase[] {
  const mayChange = (one: FuzzCase) =>
    one.mutator === asIs ? 2 : classify(situation, one.bytes).some(isChange) ? 1 : 0
  return cases
    .map((one, place) => ({ one, place, rank: mayChange(one) }))
    .sort((a, b) => a.rank - b.rank || a.place - b.place)
    .map(({ one }) => one)
}

function renewed<P extends PodView | null>(subject: Subject, pod: P): P {
  Object.assign(subject, { ...createSubject(), pod })
  return pod
}

function lost({ inconclusive }: Context, one: FuzzCase): never {
  return inconclusive(`${bodySaid(one)} had no whole answer, and the pod is no longer as it was`)
}

/**
 * Whether nothing has changed the pod. Where something has, it was either what another row judges, or one of the bodies
 * that were refused before.
 */
async function isAsBefore(context: Context, trial: Trial, subject: Subject, pod: PodView): Promise<boolean> {
  const { changed } = await lookAt(context, subject, pod)
  if (changed !== null) await blame(context, trial, subject)
  return changed === null
}

/**
 * The pod is as it was before the bodies that were refused; else those that change a pod are looked for. Where none
 * does so again, the read was an old one: whoever lets reads lag keeps the description, and the new one is there by the
 * time a write takes to be visible.
 */
async function expectUnchanged(context: Context, trial: Trial, subject: Subject, pod: PodView): Promise<void> {
  const { refused } = subject
  if (refused.length === 0) return
  const { changed, reply } = await lookAt(context, subject, pod)
  context.check('unchanged').saw(reply)
  if (changed !== null) {
    await blame(context, trial, subject)
    await expectAsBefore(context, subject, pod, changed)
  }
  subject.refused = []
}

async function lookAt(context: Context, subject: Subject, pod: PodView) {
  await context.clock.sleep(lookAfterMs(context))
  const reply = await context.pods.get(pod.id)
  return { reply, changed: changesIn(pod, reply, subject.aside) }
}

async function expectAsBefore(
  { settle, target, inconclusive }: Context,
  { aside }: Subject,
  pod: PodView,
  changed: string,
): Promise<void> {
  const isBack = (now: PodView | null) => now !== null && changesOf(pod, now, aside) === null
  const { settled } = await settle(pod.id, (_, now) => isBack(now), target.tolerances.visibleMs)
  if (!settled)
    inconclusive(
      `${changed} after refused bodies, and not when they were sent to a new pod: nothing shows which did it`,
    )
}

/** Fails for those of the refused bodies that change a pod, if any do. */
async function blame(context: Context, trial: Trial, { accepted, refused }: Subject): Promise<void> {
  const play = createPlayer(context, trial)
  const changes = async (cases: readonly FuzzCase[]) => (await play(cases)).change
  const found =
    (await pinDown(refused, changes)) ??
    (accepted.length === 0 ? null : await pinDown([...accepted, ...refused], changes))
  if (found === null) return
  const { cases, seen } = found
  const expected = `nothing changed by ${cases.map(({ bytes }) => bodyText(bytes)).join(', then ')}`
  context.check('unchanged').that(false, expected, `${seen.text} after ${casesText(cases)}`, seen.reply)
}

interface Wrong {
  readonly one: FuzzCase
  readonly allowed: readonly Allowed[]
  readonly reply: Reply
  readonly pod: PodView
}

/** An answer in no class: the body's own fault, or that of those before it on the same pod. */
async function wrongAnswer(context: Context, trial: Trial, subject: Subject, wrong: Wrong): Promise<void> {
  const { one, allowed, reply, pod } = wrong
  const { status } = reply
  if (outageStatuses.has(status)) context.inconclusive(`the target answered ${status}, which is an outage`)
  if (context.lacksCapacity(reply)) context.inconclusive('the target has no capacity')
  const fails = async (simpler: FuzzCase) => {
    const another = await trial.make()
    const again = await sendTwice(trial, another, simpler.bytes)
    const classes = allowedOf(trial, another, simpler.bytes)
    return again.status === status && !classes.some(({ answers }) => isIn(status, answers))
  }
  if (await fails(one)) {
    const least = await simplest(one, fails)
    const expected = `${allowedText(allowed)} to ${bodyText(least.bytes)}`
    context.check('answer').that(false, expected, answerText(reply, least), reply)
  }
  const before = [...subject.accepted, ...subject.refused]
  await expectUnchanged(context, trial, subject, pod)
  const play = createPlayer(context, trial)
  const found = await pinDown(before, async (cases) => {
    const { reply: again, isAllowed } = await play([...cases, one])
    return again.status === status && !isAllowed ? again : null
  })
  const after = found === null ? '' : ` after ${casesText(found.cases)}`
  const expected = `${allowedText(allowed)} to ${bodyText(one.bytes)}`
  context.check('answer').that(false, expected, answerText(reply, one) + after, found?.seen ?? reply)
}

/** The simplest case that still fails in the same way; `steps` is told which of the simpler cases was taken each time. */
export async function simplest(
  one: FuzzCase,
  fails: (simpler: FuzzCase) => Promise<boolean>,
  tries = simplerTries,
  steps: number[] = [],
): Promise<FuzzCase> {
  let left = tries
  let least = one
  search: for (;;) {
    let step = -1
    for (const simpler of least.simpler?.() ?? []) {
      step++
      if (left-- <= 0) return least
      if (simpler.mutator !== one.mutator || !(await fails(simpler))) continue
      least = simpler
      steps.push(step)
      continue search
    }
    return least
  }
}

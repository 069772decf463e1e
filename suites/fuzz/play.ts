import { outageStatuses } from '../harness/check.ts'
import type { CallOptions } from '../harness/client/headers.ts'
import type { Reply } from '../harness/client/reply.ts'
import type { Context } from '../harness/context.ts'
import { answerTo, unlessUnanswered } from '../harness/outcome.ts'
import { type PodView, podOf } from '../harness/read.ts'
import { changesIn, podToTryAgain, sendTwice } from './again.ts'
import { asIs, caseSaid, caseText, type FuzzCase } from './cases.ts'
import { type After, type Allowed, allowedText, classify, isIn, isLeft, type Situation } from './oracle.ts'

/** How cases of one operation are tried on pods of one kind. */
export interface Trial {
  /** A pod of its own, at rest. */
  readonly make: () => Promise<PodView>
  readonly situation: (pod: PodView) => Situation
  readonly send: (pod: PodView, bytes: Uint8Array, options?: CallOptions) => Promise<Reply>
  /** Checks what an accepted body has done; the pod to go on with, or null where another one is to be made. */
  readonly accepted: (pod: PodView, after: readonly After[], what: FuzzCase) => Promise<PodView | null>
}

/** How long after refusals their pod is looked at, ms: time enough for what was carried out all the same. */
const lookAfterMs = 2_000

/** How many simpler cases of a finding are tried. */
const simplerTries = 24

/**
 * Tries cases in turn, on `first` or a pod of its own, and gives the pod that it ends with; null where that serves no
 * more. Whatever is refused leaves the pod as it was, so one pod serves until a body is accepted. Those that may be
 * accepted come last.
 */
export async function playAll(
  context: Context,
  trial: Trial,
  cases: readonly FuzzCase[],
  first: PodView | null = null,
): Promise<PodView | null> {
  const begin = first ?? (await trial.make())
  let kept: PodView | null = begin
  let refused: FuzzCase[] = []
  for (const one of inOrder(cases, trial.situation(begin))) {
    let pod = kept ?? (await trial.make())
    let allowed = classify(trial.situation(pod), one.bytes)
    if (refused.length > 0 && allowed.some(isChange)) {
      pod = await looksUnchanged(context, trial, pod, refused)
      refused = []
    }
    let reply = await unlessUnanswered(trial.send(pod, one.bytes))
    if (reply === null) {
      pod = (await podToTryAgain(context, trial, pod, allowed)) ?? lost(context, one)
      allowed = classify(trial.situation(pod), one.bytes)
      reply = await answerTo(bodySaid(one), trial.send(pod, one.bytes, { newConnection: true }))
    }
    kept = pod
    if (isLeft(reply.status, allowed)) {
      kept = await asBefore(context, trial, pod, refused)
      if (kept === null) refused = []
      continue
    }
    const seen = allowed.filter(({ answers }) => isIn(reply.status, answers))
    if (seen.length === 0) await wrongAnswer(context, trial, { one, allowed, reply, pod, refused })
    context.check('answer').saw(reply)
    if (!seen.some(isChange)) refused.push(one)
    else {
      const after = seen.map(({ after }) => after)
      kept = await trial.accepted(pod, after, one)
    }
  }
  return kept === null ? null : looksUnchanged(context, trial, kept, refused)
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

/**
 * The pod as long as nothing has changed it. Where something has, it was either what another row judges, or one of the
 * bodies that were refused before.
 */
async function asBefore(
  context: Context,
  trial: Trial,
  pod: PodView,
  cases: readonly FuzzCase[],
): Promise<PodView | null> {
  await context.clock.sleep(Math.min(lookAfterMs, context.target.tolerances.visibleMs))
  const reply = await context.pods.get(pod.id)
  const changed = changesIn(pod, reply)
  if (changed === null) return pod
  await blame(context, trial, cases, changed, reply)
  return null
}

function lost({ inconclusive }: Context, one: FuzzCase): never {
  return inconclusive(`${bodySaid(one)} had no whole answer, and the pod is no longer as it was`)
}

function isChange({ after }: Allowed): boolean {
  return after.kind !== 'unchanged'
}

/** An answer in no class: the body's own fault, or that of one before it, which was refused and changed the pod. */
async function wrongAnswer(context: Context, trial: Trial, wrong: Wrong): Promise<void> {
  const { one, allowed, reply, pod, refused } = wrong
  const { status } = reply
  if (outageStatuses.has(status)) context.inconclusive(`the target answered ${status}, which tells of an outage`)
  if (context.lacksCapacity(reply)) context.inconclusive('the target has no capacity')
  const fails = async (simpler: FuzzCase) => {
    const another = await trial.make()
    const again = await sendTwice(trial, another, simpler.bytes)
    const classes = classify(trial.situation(another), simpler.bytes)
    return again.status === status && !classes.some(({ answers }) => isIn(status, answers))
  }
  if (!(await fails(one))) await looksUnchanged(context, trial, pod, refused)
  const least = await simplest(one, fails)
  const expected = `${allowedText(allowed)} to ${bodyText(least.bytes)}`
  context.check('answer').that(false, expected, answerText(reply, least), reply)
}

interface Wrong {
  readonly one: FuzzCase
  readonly allowed: readonly Allowed[]
  readonly reply: Reply
  readonly pod: PodView
  /** What was refused on this pod before. */
  readonly refused: readonly FuzzCase[]
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

/**
 * The pod is as it was before these bodies were refused; else the one that changed it is looked for. Where none does it
 * again, the read before was an old one: whoever lets reads lag keeps the description, and the new one is gone by.
 */
async function looksUnchanged(
  context: Context,
  trial: Trial,
  before: PodView,
  cases: readonly FuzzCase[],
): Promise<PodView> {
  if (cases.length === 0) return before
  await context.clock.sleep(Math.min(lookAfterMs, context.target.tolerances.visibleMs))
  const reply = await context.pods.get(before.id)
  context.check('unchanged').saw(reply)
  const changed = changesIn(before, reply)
  if (changed === null) return before
  await blame(context, trial, cases, changed, reply)
  return podOf(reply.json, reply.exchange.n) ?? trial.make()
}

/** Fails for the one of these refused bodies that changes a pod, if any does. */
async function blame(
  context: Context,
  trial: Trial,
  cases: readonly FuzzCase[],
  changed: string,
  reply: Reply,
): Promise<void> {
  const culprit = await culpritOf(context, trial, cases)
  if (culprit === null) return
  const expected = `nothing changed by ${bodyText(culprit.bytes)}`
  context.check('unchanged').that(false, expected, `${changed} after ${caseText(culprit)}`, reply)
}

/** Of several refused bodies the one that changes a pod, each half tried on a pod of its own; null where none does again. */
export async function culpritOf(context: Context, trial: Trial, cases: readonly FuzzCase[]): Promise<FuzzCase | null> {
  let left = cases
  while (left.length > 1) {
    const half = left.slice(0, Math.ceil(left.length / 2))
    left = (await changesPod(context, trial, half)) ? half : left.slice(half.length)
  }
  return left[0] !== undefined && (await changesPod(context, trial, left)) ? left[0] : null
}

async function changesPod(context: Context, trial: Trial, cases: readonly FuzzCase[]): Promise<boolean> {
  const pod = await trial.make()
  for (const { bytes } of cases) await sendTwice(trial, pod, bytes)
  await context.clock.sleep(Math.min(lookAfterMs, context.target.tolerances.visibleMs))
  return changesIn(pod, await context.pods.get(pod.id)) !== null
}

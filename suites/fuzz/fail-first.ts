import type { Reply } from '../../harness/client/reply.ts'
import type { Context } from '../../harness/rule/context.ts'
import { casesText, caseText, type FuzzCase } from './cases.ts'
import { lookAtPod } from './look.ts'
import { allowedText } from './oracle.ts'
import { bodyText, inOrder } from './play.ts'
import type { Subject } from './stages.ts'
import { createLog, type Seen, type Steps } from './steps.ts'
import { tryOne } from './try.ts'

/**
 * Tries cases in turn on the pod of a subject; the first finding fails the rule. Whatever is refused leaves the pod as it
 * was, so one pod serves until a body is accepted. Those that may be accepted come last.
 */
export async function playAll(context: Context, subject: Subject, cases: readonly FuzzCase[]): Promise<void> {
  const steps = stepsOf(context)
  subject.pod ??= await subject.trial.make()
  for (const one of inOrder(cases, subject.trial.situation(subject.pod))) {
    await tryOne(context, subject, { one, path: '' }, steps, true)
  }
  await lookAtPod(context, subject, steps)
}

/** The steps of a rule: every request is recorded, and whatever is odd ends it. */
function stepsOf(context: Context): Steps {
  return {
    seed: 0,
    isRule: true,
    isTimeFree: true,
    isKnown: () => false,
    keep: (_, seen) => fail(context, seen),
    direct: (trial, pod, bytes) => trial.send(pod, bytes),
    attempt: async (work) => ({ value: await work() }),
    clean: (text) => text,
    log: createLog(),
    came() {},
    async drop() {},
  }
}

function fail({ check }: Context, { cases, allowed, observed, answer, change, doubt }: Seen): void {
  const all = cases.map(({ one }) => one)
  const last = all.at(-1)
  if (last === undefined) return
  if (change !== undefined) {
    const expected = `nothing changed by ${all.map(({ bytes }) => bodyText(bytes)).join(', then ')}`
    check('unchanged').that(false, expected, `${change.text} after ${casesText(all)}`, change.reply)
    return
  }
  const before = doubt === undefined && all.length > 1 ? ` after ${casesText(all.slice(0, -1))}` : ''
  const expected = `${allowedText(allowed)} to ${bodyText(last.bytes)}`
  check('answer').that(false, expected, `${observed} to ${caseText(last)}${before}`, answer as Reply)
}

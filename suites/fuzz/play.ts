import type { Reply } from '../../harness/client/reply.ts'
import { asIs, caseSaid, caseText, type FuzzCase } from './cases.ts'
import { classify, type Situation } from './oracle.ts'
import { isChange } from './trial.ts'

/** How many simpler cases of a finding are tried. */
const simplerTries = 24

/** The failure of a case as an observation: `status 200 to padded at $.action`. */
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

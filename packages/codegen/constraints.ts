import type { Document } from './inputs.ts'

/** A status, or every status of a class. */
type Answer = number | '2XX' | '4XX'

const OPEN: readonly Answer[] = ['2XX', '4XX']

/**
 * The answers that each constraint named by `x-constraint` permits, from `x-answers` beside it. Throws if a constraint
 * has no answers, or if two of one name differ.
 */
export function readConstraints({ components }: Document): Readonly<Record<string, readonly Answer[]>> {
  const found: Record<string, readonly Answer[]> = {}
  for (const { name, keyword, answers } of constraintsIn(components.schemas)) {
    const others = found[name] ?? answers
    found[name] = others
    if (JSON.stringify(others) === JSON.stringify(answers)) continue
    throw new Error(
      `spec/openapi.yaml: x-answers of ${name} differ for ${keyword}; use one x-constraint per set of answers.`,
    )
  }
  return Object.fromEntries(Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1)))
}

function constraintsIn(node: unknown): { name: string; keyword: string; answers: readonly Answer[] }[] {
  if (typeof node !== 'object' || node === null) return []
  const { 'x-constraint': name, 'x-answers': answers } = node as Record<string, unknown>
  const inner = Object.values(node).flatMap(constraintsIn)
  if (name === undefined && answers === undefined) return inner
  if (typeof name !== 'string' || typeof answers !== 'object' || answers === null) {
    throw new Error('spec/openapi.yaml: x-constraint and x-answers belong together; give both.')
  }
  const own = Object.entries(answers).map(([keyword, given]) => {
    if (!(keyword in node))
      throw new Error(`spec/openapi.yaml: x-answers of ${name} names ${keyword}, which is not beside it.`)
    return { name, keyword, answers: answersIn(given, name) }
  })
  return [...own, ...inner]
}

function answersIn(given: unknown, name: string): readonly Answer[] {
  if (given === 'open') return OPEN
  const list = Array.isArray(given) ? given : [given]
  const isAnswer = (one: unknown): one is Answer => one === '2XX' || one === '4XX' || Number.isInteger(one)
  if (list.length > 0 && list.every(isAnswer)) return list
  throw new Error(
    `spec/openapi.yaml: x-answers of ${name} must be open, 4XX or a list of statuses, not ${JSON.stringify(given)}.`,
  )
}

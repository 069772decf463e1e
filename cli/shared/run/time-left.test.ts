import { expect, test } from 'vitest'
import { ruleById } from '../../../generated/rules.ts'
import { costOfRule } from '../../../harness/plan/costs.ts'
import { createTimeLeft } from './time-left.ts'

const row = ruleById.get('auth.granted') ?? expect.fail('the rule is gone')
const { requests } = costOfRule(row)
const rules = [row.id, row.id]
const verdict = { type: 'verdict', rule: row.id, verdict: 'passed', done: 1, total: 2 } as const
const plan = { type: 'plan', name: 'run-over', n: 1, of: 2, endsMs: 0, allEndMs: 0, isOver: false } as const
const sending = (sent: number) => ({ type: 'waiting', nowMs: 0, pending: [], requests: sent }) as const

test.each<
  [
    says: string,
    plannedMs: number | null,
    seen: Parameters<ReturnType<typeof createTimeLeft>['tell']>[0][],
    left: number | null,
  ]
>([
  ['by the plan', 60_000, [], 50_000],
  ['nothing once the plan is over', 9_000, [], null],
  ['nothing before anything was seen', null, [], null],
  ['by the requests', null, [verdict, sending(requests)], 10_000],
  ['more if rules are judged late', null, [sending(requests)], 30_000],
  ['not more requests than expected', null, [verdict, sending(9 * requests)], 10_000 / 3],
  ['nothing once load has begun', 60_000, [plan], null],
  ['nothing at the end', null, [verdict, verdict, sending(2 * requests)], null],
])('after 10 s, the time that is left is told %s', (_, plannedMs, seen, left) => {
  const timeLeft = createTimeLeft(rules, plannedMs)
  for (const one of seen) timeLeft.tell(one)
  expect(timeLeft.after(10_000)).toEqual(left === null ? null : expect.closeTo(left, 3))
})

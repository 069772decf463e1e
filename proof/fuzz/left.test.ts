import '../../suites/all.ts'
import { describe, expect, test } from 'vitest'
import { rules } from '../../generated/rules.ts'
import { allRules } from '../../harness/rule/registry.ts'
import { defects } from '../defects/index.ts'
import { judgeOn } from '../judge.ts'
import type { Defect } from '../types.ts'

// One cause is one row's: what a recommendation or the table of actions judges, no rule of generated bodies fails for.

const recommended = new Set(rules.filter(({ level }) => level === 'should').map(({ id }) => id))
/** They do on other pods what rows that are not recommendations forbid. */
const broader: ReadonlySet<string> = new Set([
  'action-invalid-and-not-permitted-400',
  'action-invalid-and-not-permitted-carried-out',
  'action-invalid-and-not-permitted-carried-out-later',
  'other-size-500',
  'other-size-refused-and-applied',
])
/**
 * A body that is accepted, answered 500 or carried out breaks rows that are not recommendations too; on the queue plane, which
 * has no 422, a 422 does.
 */
const isBroader = ({ id, rule }: Defect) =>
  broader.has(id) ||
  /-(accepted|500|carried-out(-later)?)$/.test(id) ||
  (rule.startsWith('queue.body.') && id.endsWith('-422'))
const isBodyRow = ({ rule }: Defect) => /^(pods\.(patch|action-body)|queue\.body)\./.test(rule)
/** Rules that send bodies to the plane of a defect; it changes nothing on the other. */
const fuzzRulesOf = ({ rule }: Defect) =>
  rule.startsWith('queue.') ? ['queue.body.fuzz'] : ['pods.patch.fuzz', 'pods.action-body.fuzz']
const isTableRow = ({ rule, variation }: Defect) =>
  variation === undefined && /^pods\.action\.(running|exited)\.(start|stop|restart|terminate)$/.test(rule)

describe('a defect of a recommendation about bodies', () => {
  test.each(defects.filter((defect) => recommended.has(defect.rule) && isBodyRow(defect) && !isBroader(defect)))(
    '$id: $says',
    async (defect) => {
      expect(await failing(defect, ...fuzzRulesOf(defect))).toEqual([])
    },
  )
})

describe('a defect of the table of actions', () => {
  test.each(defects.filter(isTableRow))('$id: $says', async (defect) => {
    expect(await failing(defect, 'pods.action-body.fuzz')).toEqual([])
  })
})

/** The findings of these rules on a defect: none if they are blocked or inconclusive. */
async function failing(defect: Defect, ...ids: readonly string[]) {
  const judgements = await judgeOn({ variants: [defect], rules: allRules().filter(({ id }) => ids.includes(id)) })
  expect(judgements.length).toBe(ids.length)
  return judgements.flatMap(({ verdict, findings }) =>
    ['passed', 'blocked', 'inconclusive'].includes(verdict) ? [] : [verdict, findings],
  )
}

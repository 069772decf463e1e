import '../all.ts'
import { expect, test } from 'vitest'
import { allRules } from '../../harness/rule/registry.ts'
import type { Wrap } from '../../proof/defects/tools.ts'
import { breaking, crashing, renaming, type Sent } from '../../proof/fuzz/effects.ts'
import { judgeOn } from '../../proof/judge.ts'

const after = (text: string) => (sent: Sent) => sent.bodies.some((one) => one.includes(text))

test.each<[what: string, wrap: Wrap, verdict: string, seen: string]>([
  ['one body', renaming(() => true), 'failed', 'name "renamed" after extra-null at $'],
  [
    'one after another',
    renaming(after('plumbline":true')),
    'failed',
    'name "renamed" after extra at $, extra-null at $',
  ],
  ['a body that breaks its pod', breaking(), 'failed', 'status 500 to extra-proto at $ after extra-null at $'],
  [
    'one of many, once only',
    renaming(({ total }) => total === 1),
    'inconclusive',
    'name "renamed" after refused bodies, and not when they were sent to a new pod: nothing shows which did it',
  ],
  ['the pod by itself', crashing(), 'inconclusive', 'EXITED'],
])('where the cause is %s, the rule says so', async (_, wrap, verdict, seen) => {
  const rules = allRules().filter(({ id }) => id === 'pods.action-body.fuzz')
  const [judgement] = await judgeOn({ variants: [{ id: 'made-here', says: 'A defect of this test.', wrap }], rules })
  expect(judgement?.verdict).toBe(verdict)
  expect(judgement?.findings[0]?.observed ?? judgement?.reason).toContain(seen)
})

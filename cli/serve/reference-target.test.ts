import { expect, test } from 'vitest'
import { rules } from '../../generated/rules.ts'
import { claimOf } from '../../harness/claims/claims.ts'
import { embed, referenceTarget } from '../../proof/instance.ts'
import { defaultKeys } from '../../reference/auth/accounts.ts'
import { parseTarget } from '../../target-file/load.ts'
import { writeTarget } from '../../target-file/write.ts'
import { diagnose } from '../doctor/doctor.ts'

test('the reference claims all that any rule needs', () => {
  const { target } = embed()
  const needs = new Set(rules.flatMap((row): readonly string[] => row.needs))
  expect([...needs].filter((need) => claimOf(target, need) !== 'given')).toEqual([])
  expect(diagnose(target).at(-1)).toBe(`all ${rules.length} rules can be judged or are not applicable`)
})

test('its clock stands still until it is moved', async () => {
  const { fetch, control } = embed()
  const headers = { authorization: `Bearer ${defaultKeys.full}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ name: 'a', image: 'x', gpu: { id: 'gpu-a' } })
  await fetch(new Request('https://reference.test/v2/pods', { method: 'POST', headers, body }))
  const before = await control.state()
  expect(before.nextMs).toBeGreaterThan(before.nowMs)
  expect(await control.advance((before.nextMs ?? 0) - before.nowMs)).toMatchObject({ nowMs: before.nextMs })
})

test('the file that is printed reads as the same target', () => {
  const target = referenceTarget('http://127.0.0.1:8080', 'control')
  expect(parseTarget(writeTarget(target), { file: 'printed', environment: {} })).toEqual(target)
})

test('every rule that is left out is told with what to add', () => {
  const text = 'plumbline: 1\npods: https://a.test\nkeys: {full: plumbline-example-full}\n'
  const lines = diagnose(parseTarget(text, { file: 'five lines', environment: {} }))
  expect(lines.find((line) => line.startsWith('volume '))).toMatch(
    /^volume +unclaimed +25\+8 +a network volume that pods may mount; add pods: \{volume: VOLUME_ID\}$/,
  )
})

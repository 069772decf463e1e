import fc from 'fast-check'
import { expect, test } from 'vitest'
import { textOf } from '../exchange/exchange.ts'
import { membersOf, show } from '../exchange/read.ts'
import { changes, encodings, someKey, waysIn, writers } from '../testing/encodings.ts'
import { runOnRig, type TestScenario } from '../testing/rig.ts'
import type { Transport } from '../transport/types.ts'

/** A target that repeats the key in its responses, in one encoding within another. */
function repeating(key: string, form: string, write: (value: unknown) => string) {
  return (transport: Transport): Transport =>
    async (request, patience) => {
      const headers = request.headers.map(
        ([name, value]) => [name, value.replace(key, 'plumbline-example-full')] as const,
      )
      const response = await transport({ ...request, headers }, patience)
      const value = membersOf(JSON.parse(textOf(response.body) || '{}'))
      const body = write({ ...value, detail: `the key ${form} is`, [form]: [form] })
      return {
        ...response,
        headers: [...response.headers, ['X-Echo', form.replace(/\r\n/g, '')]],
        body: new TextEncoder().encode(body),
      }
    }
}

/** Tells everything that it got, in every way that a rule has. */
const telling: TestScenario = {
  row: { area: 'pods' },
  async run({ check, pods, reading }) {
    const response = await pods.list()
    const { detail } = membersOf(response.json) ?? {}
    reading('detail', String(detail))
    check('told').that(detail === 'nothing', 'nothing', show(response.json), response)
  },
}

test('a record has no form of a drawn key, and a replay gives the same findings and readings', async () => {
  const chains = fc.array(fc.constantFrom(...Object.keys(encodings)), { minLength: 1, maxLength: 2 })
  const drawn = [someKey, fc.constantFrom(...Object.keys(changes)), chains, fc.constantFrom(...writers)] as const
  await fc.assert(
    fc.asyncProperty(...drawn, async (key, change, chain, write) => {
      const form = chain.reduce((text, name) => encodings[name]?.(text) ?? text, changes[change]?.(key) ?? key)
      const { events, judged, replayed } = await runOnRig(
        { 'pods.told': telling },
        { target: (target) => ({ ...target, keys: { full: key } }), through: repeating(key, form, write) },
      )
      expect(judged.join('\n')).toContain('«key.full»')
      expect(replayed).toEqual(judged)
      expect(waysIn([...events.map((event) => JSON.stringify(event)), ...replayed].join('\n'), key)).toEqual([])
    }),
    { numRuns: 100, seed: 1 },
  )
})

import { expect, test } from 'vitest'
import { type RigResult, runOnRig, type TestScenario } from '../testing/rig.ts'
import type { Transport } from '../transport/types.ts'

/** A target that answers 401 to the requests of rules for which `isRefused` is true; `n` counts from 1. */
function refusing(isRefused: (path: string, n: number) => boolean) {
  let n = 0
  return (transport: Transport): Transport =>
    (request, patience) =>
      isRefused(new URL(request.url).pathname, ++n)
        ? Promise.resolve({ status: 401, headers: [['WWW-Authenticate', 'Bearer']], body: new Uint8Array() })
        : transport(request, patience)
}

const row = { area: 'pods', needs: ['pods'] } as const
const listing: TestScenario = {
  row,
  async run({ pods, check }) {
    check('listed').status(await pods.list(), 200)
  },
}
const waiting: TestScenario = {
  row,
  async run({ pods, clock, check }) {
    check('listed').status(await pods.list(), 200)
    await clock.sleep(1_000)
    check('read').status(await pods.get('gone'), 404)
  },
}

function verdictsOf({ judgements }: RigResult) {
  return Object.fromEntries([...judgements.values()].map(({ rule, verdict, reason }) => [rule, [verdict, reason]]))
}

test('a key that is revoked ends all rules that are not done with one reason, and fails none', async () => {
  const result = await runOnRig(
    { first: listing, one: waiting, other: waiting },
    { through: refusing((_, n) => n > 3) },
  )
  const reason =
    'the target no longer accepts keys.full: since exchange 4 (getPod) it answers 401, also to what it accepted before; run again with a key that stays valid'
  expect(verdictsOf(result)).toEqual({
    first: ['passed', null],
    one: ['unverified', reason],
    other: ['unverified', reason],
  })
  expect(result.replayed).toEqual(result.judged)
})

test.each([
  ['for one operation', (path: string) => path.endsWith('/gone')],
  ['once', (_: string, n: number) => n === 2],
  ['from the beginning', () => true],
])('a 401 %s fails its rule', async (_, isRefused) => {
  const result = await runOnRig({ one: waiting }, { through: refusing(isRefused) })
  expect(verdictsOf(result)).toEqual({ one: ['failed', null] })
  expect(result.replayed).toEqual(result.judged)
})

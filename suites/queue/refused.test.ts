import '../all.ts'
import { expect, test } from 'vitest'
import { allRules } from '../../harness/rule/registry.ts'
import { judgeOn } from '../../proof/judge.ts'
import type { Variant } from '../../proof/types.ts'

/** The reference, which refuses empty inputs in one operation. */
function refusing(operation: 'run' | 'runsync'): Variant {
  return {
    id: 'refuses-empty',
    says: 'Empty inputs are refused.',
    wrap: (fetch) => async (request) => {
      if (!request.url.endsWith(`/${operation}`)) return fetch(request)
      const isEmpty = (await request.clone().text()).startsWith('{"input":{}')
      return isEmpty ? Response.json({ error: 'input empty' }, { status: 400 }) : fetch(request)
    },
  }
}

const rules = allRules().filter(({ id }) => /^queue\.(run|runsync|body|endpoint)[.-]/.test(id))
/** The rules about invalid submissions, which first send a valid one. */
const tables = [
  'queue.body.input-missing',
  'queue.body.input-type',
  'queue.body.not-json',
  'queue.body.policy-types',
  'queue.body.s3config',
  'queue.body.webhook',
  'queue.body.webhook-url',
]
const reason = 'a valid body ({"input":{}}) to endpoint normal was answered with status 400: {"error":"input empty"}'

test('where a valid submission is refused, the rule about it fails and those that build on it are blocked', async () => {
  const judgements = await judgeOn({ variants: [refusing('run')], rules, given: {} })
  const failed = judgements.filter(({ findings }) => findings.length > 0)
  expect(failed.map(({ rule, findings }) => [rule, ...findings])).toEqual([
    [
      'queue.run.accepted',
      {
        clause: 'accepted',
        expected: 'a valid body ({"input":{}}) is accepted (200)',
        observed: 'status 400: {"error":"input empty"}',
        exchange: expect.any(Number),
      },
    ],
  ])
  const blocked = judgements.filter(({ by }) => by === 'queue.run.accepted')
  const others = ['execution-timeout-bounds', 'fuzz', 'ttl-bounds'].map((name) => `queue.body.${name}`)
  const more = ['queue.endpoint-unknown', 'queue.run.echo', 'queue.run.unique-ids']
  expect(blocked.map(({ rule }) => rule).sort()).toEqual([...others, ...tables, ...more].sort())
  expect(blocked.find(({ rule }) => rule === 'queue.body.not-json')).toMatchObject({ verdict: 'blocked', reason })
})

test('where /runsync alone refuses it, the rule about every body fails', async () => {
  const judgements = await judgeOn({ variants: [refusing('runsync')], rules, given: {} })
  expect(judgements.filter(({ findings }) => findings.length > 0).map(({ rule }) => rule)).toEqual(['queue.body.fuzz'])
  const blocked = judgements.filter(({ by }) => by === 'queue.body.fuzz')
  expect(blocked.map(({ rule }) => rule).sort()).toEqual(
    ['queue.body.execution-timeout-bounds', 'queue.body.ttl-bounds', ...tables].sort(),
  )
  expect(blocked[0]?.reason).toBe(reason.replace('answered', 'answered by /runsync'))
})

test('an endpoint without the conformance worker gets the input of the target file', async () => {
  const picky: Variant = {
    id: 'wants-a-prompt',
    says: 'Inputs without a prompt are refused.',
    wrap: (fetch) => async (request) => {
      if (!/\/run(sync)?$/.test(request.url)) return fetch(request)
      const isServed = (await request.clone().text()).includes('"prompt"')
      return isServed ? fetch(request) : Response.json({ error: 'prompt missing' }, { status: 400 })
    },
    file: (target) => ({
      ...target,
      queue: target.queue && { ...target.queue, worker: false, input: { prompt: 'a cat' } },
    }),
  }
  const judgements = await judgeOn({ variants: [picky], rules: rules.filter(({ id }) => id !== 'queue.body.fuzz') })
  const passed = judgements.filter(({ verdict }) => verdict === 'passed').map(({ rule }) => rule)
  expect(passed).toContain('queue.run.accepted')
  const others = judgements.filter(({ verdict }) => !['passed', 'observed', 'unclaimed'].includes(verdict))
  expect(others).toEqual([])
})

import { expect, test } from 'vitest'
import type { Variant } from '../../proof/types.ts'
import { composeOptions } from '../../reference/index.ts'
import { defaultEndpoints } from '../../reference/queue/settings.ts'
import { queueFoundations } from '../planes/queue/foundations.ts'
import type { Context } from '../rule/context.ts'
import { type RigResult, runOnRig, type TestScenario } from '../testing/rig.ts'

/** Fails in the clause that others build on, without a request that would show that it holds. */
async function statusShape({ check, queue }: Context): Promise<void> {
  check('answered').success(await queue.status('no-such-job'))
}

async function found({ check, fixture, found }: Context): Promise<void> {
  check('found').success(await found(await fixture.submitted()))
}

async function begun({ begun, check, fixture }: Context): Promise<void> {
  const job = await fixture.submitted({ steps: [{ output: 1 }] })
  check('begun').saw(job.response)
  await begun(job)
}

async function requeued({ begun, check, fixture }: Context): Promise<void> {
  const job = await fixture.submitted({ steps: [{ output: 1 }], past: 'requeued' })
  check('begun').saw(job.response)
  await begun(job)
}

/** A job in whatever way works. */
async function finished({ check, fixture }: Context): Promise<void> {
  const { end } = await fixture.finished({ steps: [{ output: 1 }] })
  check('done').that(end.status === 'COMPLETED', 'COMPLETED', end.status, end.response)
}

const blocked = {
  verdict: 'blocked',
  by: 'queue.status.shape',
  reason: 'expected a 2xx status; observed status 404',
}

/** Operations that an owner sent, in order. */
function sentBy({ events }: RigResult, owner: string): string[] {
  return events.flatMap((event) => (event.type === 'exchange' && event.owner === owner ? event.operation : []))
}

test('what builds on a rule that failed is blocked by it, without another request', async () => {
  const result = await runOnRig({
    found: { run: found },
    begun: { run: begun },
    requeued: { run: requeued },
    finished: { run: finished, varies: ['submission'] },
    'queue.status.shape': { run: statusShape },
  })
  const { judgements, judged, replayed } = result
  expect(judgements.get('queue.status.shape')).toMatchObject({ verdict: 'failed' })
  expect(judgements.get('found')).toMatchObject(blocked)
  expect(judgements.get('begun')).toMatchObject(blocked)
  expect(sentBy(result, 'found')).toEqual(['runJob'])
  // No worker is waited for that begins a second time.
  expect(judgements.get('requeued')).toMatchObject(blocked)
  expect(sentBy(result, 'requeued')).toEqual(['runJob'])
  // /runsync is another way to a finished job.
  expect(judgements.get('finished')).toMatchObject({ verdict: 'passed' })
  expect(sentBy(result, 'finished')).toEqual(['runJobSync'])
  expect(replayed).toEqual(judged)
})

test('what was seen to work is built on, though its rule fails', async () => {
  const { judgements, judged, replayed } = await runOnRig({
    found: { run: found },
    'queue.status.shape': {
      async run(context) {
        await found(context)
        await statusShape(context)
      },
    },
  })
  expect([...judgements.values()].map(({ rule, verdict }) => [rule, verdict])).toEqual([
    ['queue.status.shape', 'failed'],
    ['found', 'passed'],
  ])
  expect(replayed).toEqual(judged)
})

test('what was seen to work blocks if its rule and the owner observed the same', async () => {
  const { accepted } = queueFoundations
  const observing = (observed: string): TestScenario => ({
    alone: true,
    async run({ check, fixture, relies }) {
      check('accepted').saw((await fixture.submitted()).response)
      await relies(accepted, observed)
    },
  })
  const { judgements, judged, replayed } = await runOnRig({
    same: observing('status 418'),
    other: observing('status 500'),
    blamed: {
      alone: true,
      async run({ blame, check, fixture }) {
        check('accepted').saw((await fixture.submitted()).response)
        blame(accepted, 'refused')
      },
    },
    'queue.run.accepted': {
      async run({ check, fixture }) {
        const { response } = await fixture.submitted()
        check('accepted').that(false, 'a success', 'status 418', response)
      },
    },
  })
  const by = accepted.rule
  expect(judgements.get('same')).toMatchObject({ verdict: 'blocked', by })
  expect(judgements.get('other')).toMatchObject({ verdict: 'passed' })
  expect(judgements.get('blamed')).toMatchObject({ verdict: 'blocked', by, reason: 'refused' })
  expect(replayed).toEqual(judged)
})

test('what was seen to work and does not go on blocks by the rule that judges that', async () => {
  const { judgements, judged, replayed } = await runOnRig({
    blamed: {
      async run({ blame, check, fixture }) {
        check('accepted').saw((await fixture.submitted()).response)
        blame(queueFoundations.accepted, 'refused')
      },
    },
  })
  expect(judgements.get('blamed')).toMatchObject({ verdict: 'blocked', by: queueFoundations.accepted.later })
  expect(replayed).toEqual(judged)
})

/** No worker ever comes to an endpoint. */
const noWorkers: Variant = {
  id: 'no-workers',
  says: 'No endpoint ever has a worker.',
  change: (options) =>
    composeOptions(options, {
      endpoints: defaultEndpoints.map((one) => ({ ...one, workersMin: 0, coldStartMs: 1e9 })),
    }),
}

const noWorker = { verdict: 'inconclusive', reason: 'no worker began with a job within 122 s' }

test('a run waits for a worker in vain only once', async () => {
  const scenarios: Record<string, TestScenario> = {
    first: { run: begun },
    second: { run: begun },
    after: { run: begun, alone: true },
  }
  const result = await runOnRig(scenarios, { variants: [noWorkers] })
  const { events, judgements, judged, replayed } = result
  for (const rule of Object.keys(scenarios)) expect(judgements.get(rule)).toMatchObject(noWorker)
  const moments = events.flatMap((event) => (event.type === 'exchange' ? event.sent.target : []))
  expect(Math.max(...moments) - Math.min(...moments)).toBe(122_000)
  expect(sentBy(result, 'after')).toEqual(['runJob'])
  expect(replayed).toEqual(judged)
})

test('a rule alone tries a plain job before it gives up the wait for a worker', async () => {
  const result = await runOnRig({ begun: { run: begun } }, { variants: [noWorkers] })
  expect(result.judgements.get('begun')).toMatchObject(noWorker)
  const changes = sentBy(result, 'begun').filter((operation, n, all) => operation !== all[n - 1])
  expect(changes).toEqual(['runJob', 'getJobStatus', 'runJob', 'getJobStatus'])
  expect(result.replayed).toEqual(result.judged)
})

/** Jobs with an input of this name are lost. */
const losing: Variant = {
  id: 'loses-jobs',
  says: 'A job whose input has the member lost is never executed.',
  change: (options) =>
    composeOptions(options, {
      wrapFetch: (fetch) => async (request) => {
        const text = request.method === 'POST' ? await request.clone().text() : ''
        if (!text.includes('"lost"')) return fetch(request)
        return Response.json({ id: 'lost-job', status: 'IN_QUEUE' })
      },
    }),
}

test('a job that no worker begins with fails a rule if one begins with a later job', async () => {
  const { judgements, judged, replayed } = await runOnRig(
    {
      lost: {
        async run({ begun, check, fixture }) {
          const job = await fixture.plain({ input: { lost: true }, steps: [{ output: 1 }] })
          check('begun').saw(job.response)
          await begun(job)
        },
      },
    },
    { variants: [losing] },
  )
  const [finding] = judgements.get('lost')?.findings ?? []
  const observed = 'none, although one begins with a later job; /status shows gone'
  expect(finding).toMatchObject({ clause: 'begun', observed })
  expect(replayed).toEqual(judged)
})

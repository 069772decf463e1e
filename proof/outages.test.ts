import { describe, expect, it } from 'vitest'
import type { Exchange } from '../harness/exchange/exchange.ts'
import { composeOptions } from '../reference/options.ts'
import { defaultTolerances } from '../target/tolerances.ts'
import { everything } from './jobs.ts'
import { judgeOn } from './judge.ts'
import { endpointsWith } from './latitudes/queue.ts'
import type { Fetch, Variant } from './types.ts'

// A gateway that answers in place of the API decides nothing, and neither does a worker too many: no rule fails for it,
// and none passes that would have needed what was not seen.

const { rules } = everything()
const ofPods = rules.filter(({ id, kind }) => kind === 'scenario' && id.startsWith('pods.'))
const ofQueue = rules.filter(({ id }) => /^(queue|webhook)\.|^auth\.queue\./.test(id))

describe('an outage of reads', () => {
  it.each([2, 5])('at every %ith look fails no rule', async (each) => {
    const judgements = await judgeOn({ variants: [outage((n) => n % each === 0)], rules: ofQueue })
    const wrong = judgements.filter(
      ({ verdict }) => !['passed', 'observed', 'inconclusive', 'blocked'].includes(verdict),
    )
    expect(wrong.map(({ rule, findings, reason }) => ({ rule, findings, reason }))).toEqual([])
  })

  it.each([5, 7])('at every %ith GET of a pod fails no rule', async (each) => {
    const isPod = (request: Request) => request.method === 'GET' && /\/pods\/[^/]+$/.test(new URL(request.url).pathname)
    const judgements = await judgeOn({ variants: [outage((n) => n % each === 0, isPod)], rules: ofPods })
    const failed = judgements.filter(({ findings }) => findings.length > 0)
    expect(failed.map(({ rule, findings }) => ({ rule, findings }))).toEqual([])
  })

  it('at any one look of a rule does not fail it', async () => {
    const wrong: unknown[] = []
    for (const { id } of ofQueue) {
      const rule = rules.filter((one) => one.id === id)
      const looks = await looksOf(rule)
      for (const at of new Set([1, 2, Math.ceil(looks / 2), looks - 1, looks].filter((n) => n > 0 && n <= looks))) {
        const [judgement] = await judgeOn({ variants: [outage((n) => n === at)], rules: rule })
        if ((judgement?.findings.length ?? 1) > 0) wrong.push({ id, at, findings: judgement?.findings })
      }
    }
    expect(wrong).toEqual([])
  })

  it.each([
    'queue.cancel.queued',
    'queue.cancel.running',
    'queue.execution-timeout.enforced',
    'queue.status.crash',
    'queue.status.in-progress',
    'queue.status.values',
    'webhook.no-effect-on-job',
  ])('from the second look on leaves %s inconclusive', async (id) => {
    const rule = rules.filter((one) => one.id === id)
    const looks = await looksOf(rule)
    expect(looks).toBeGreaterThan(1)
    for (const from of new Set([1, Math.floor(looks / 2), looks - 1])) {
      const [judgement] = await judgeOn({ variants: [outage((n) => n > from)], rules: rule })
      expect({ from, verdict: judgement?.verdict, findings: judgement?.findings }).toEqual({
        from,
        verdict: 'inconclusive',
        findings: [],
      })
    }
  })
})

it.each(['queue.cancel.queued', 'queue.run.no-worker-free', 'queue.status.in-progress', 'queue.ttl.frees-worker'])(
  '%s is inconclusive where the endpoint with two workers has more',
  async (id) => {
    const variants: Variant[] = [
      {
        id: 'worker-too-many',
        says: 'The endpoint has workers of which its file does not tell.',
        change: (options) =>
          composeOptions(options, { endpoints: endpointsWith({ workersMin: 4, workersMax: 4, coldStartMs: 0 }) }),
      },
    ]
    const [judgement] = await judgeOn({ variants, rules: rules.filter((one) => one.id === id) })
    expect(judgement).toMatchObject({ verdict: 'inconclusive' })
  },
)

it('a job that a worker too many has just taken has not failed by waiting', async () => {
  const rule = rules.filter(({ id }) => id === 'queue.execution-timeout.not-queued')
  // It comes half a second before the job is looked at, and tells of its start a second after that.
  const waitMs = 6_000 + 2 * defaultTolerances.dispatchMs + defaultTolerances.sweepMs
  const offer = { workersMin: 2, workersMax: 3, coldStartMs: waitMs - 500 }
  const variants: Variant[] = [
    {
      id: 'worker-too-many-late',
      says: 'The endpoint starts a worker of which its file does not tell.',
      change: (options) => composeOptions(options, { endpoints: endpointsWith(offer), life: { dispatchMs: 1_500 } }),
    },
  ]
  const [judgement] = await judgeOn({ variants, rules: rule })
  expect(judgement).toMatchObject({ verdict: 'inconclusive', findings: [] })
})

/** How often a rule reads jobs on the reference. A wrapper delays each response, which can save a read, so one is used here. */
async function looksOf(rule: typeof rules): Promise<number> {
  const exchanges: Exchange[] = []
  const variants = [outage(() => false)]
  await judgeOn({ variants, rules: rule, exchanged: (exchange) => exchanges.push(exchange) })
  const isLook = ({ operation, owner }: Exchange) => operation === 'getJobStatus' && owner === rule[0]?.id
  return exchanges.filter(isLook).length
}

describe('an outage of less than a minute', () => {
  it.each(['run', 'runsync', 'status', 'cancel'])('of /%s fails no rule', async (operation) => {
    expect(await findingsOn(outageOf((name) => name === operation, 45_000))).toEqual([])
  })
})

it('an outage of all operations without end fails no rule', async () => {
  expect(await findingsOn(outageOf(() => true, Number.POSITIVE_INFINITY))).toEqual([])
})

it.each(['run', 'runsync', 'status', 'cancel'])('an outage of /%s without end fails one rule', async (operation) => {
  const failed = await findingsOn(outageOf((name) => name === operation, Number.POSITIVE_INFINITY))
  expect(failed.map(({ rule }) => rule)).toEqual([
    {
      run: 'queue.run.accepted',
      runsync: 'queue.runsync.completed',
      status: 'queue.status.shape',
      cancel: 'queue.cancel.queued',
    }[operation],
  ])
})

it.each(['endpoints.address', 'pods.action.running.stop'])(
  'what %s made is removed although a gateway answers',
  async (id) => {
    const removals: string[] = []
    const out: Variant = {
      id: 'first-removal-503',
      says: 'A gateway answers the first removal.',
      wrap: (fetch) => async (request) => {
        if (request.method !== 'DELETE') return fetch(request)
        const response =
          removals.length === 0 ? new Response('Service Unavailable', { status: 503 }) : await fetch(request)
        removals.push(`${new URL(request.url).pathname} ${response.status}`)
        return response
      },
    }
    await judgeOn({ variants: [out], rules: rules.filter((one) => one.id === id) })
    const [first = '', ...later] = removals
    expect(later).toContain(first.replace('503', '204'))
  },
)

async function findingsOn(variant: Variant) {
  const judgements = await judgeOn({ variants: [variant], rules: ofQueue })
  return judgements.filter(({ findings }) => findings.length > 0).map(({ rule, findings }) => ({ rule, findings }))
}

/** A gateway answers 503 to some operations for so long after the beginning, ms. */
function outageOf(isOut: (operation: string) => boolean, ms: number): Variant {
  return {
    id: 'outage-of-operations',
    says: 'A gateway answers some operations in place of the API.',
    change: (options) => {
      const endMs = options.clock.now() + ms
      return composeOptions(options, {
        wrapFetch: (fetch) => async (request) =>
          options.clock.now() < endMs && isOut(new URL(request.url).pathname.split('/')[3] ?? '')
            ? new Response('Service Unavailable', { status: 503 })
            : fetch(request),
      })
    },
  }
}

/** A gateway answers 503 to some looks, counted from 1; at jobs unless `isLook` says at what. */
function outage(isOut: (n: number) => boolean, isLook = isJobLook): Variant {
  return {
    id: 'outage',
    says: 'A gateway answers some looks in place of the API.',
    wrap: (fetch: Fetch) => {
      let looks = 0
      return async (request) => {
        if (!isLook(request) || !isOut(++looks)) return fetch(request)
        return new Response('Service Unavailable', { status: 503 })
      }
    },
  }
}

function isJobLook({ url }: Request): boolean {
  return /\/status\//.test(url)
}

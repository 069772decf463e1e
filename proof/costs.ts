import '../suites/all.ts'
import { type Exchange, isSuccess } from '../harness/exchange/exchange.ts'
import { idIn } from '../harness/exchange/read.ts'
import type { Cost, Costs, Situation } from '../harness/plan/costs.ts'
import { planeOfOperation } from '../harness/planes/index.ts'
import { allRules } from '../harness/rule/registry.ts'
import { rowOf } from '../harness/run/rows.ts'
import { judgeOn } from './judge.ts'
import { optioned, startsAtOnce } from './latitudes/tools.ts'
import type { Variant } from './types.ts'

const perMinute = 60

/** The reference in each situation that a plan tells apart. */
const variants: Readonly<Record<Situation, readonly Variant[]>> = {
  free: [],
  paced: [optioned('paced', 'A user has 60 requests a minute.', { quotas: { minute: perMinute } })],
  atOnce: [optioned('at-once', 'Pods start at once.', { life: { provisioningMs: 0, startingMs: 0 } }, startsAtOnce)],
}

/** The costs of all rules on the reference: means over runs with these seeds, independent of this machine's speed. */
export async function measureCosts(situation: Situation, seeds: readonly number[]): Promise<Costs> {
  const sums = new Map<string, Sum>()
  const costOf = (name: string): Sum => {
    const sum = sums.get(name) ?? { requests: 0, ms: 0, workerMs: 0, pods: 0, podMs: 0, jobs: 0 }
    sums.set(name, sum)
    return sum
  }
  for (const seed of seeds) {
    await measureRequests(variants[situation], seed, costOf)
    // A plan takes no time from a paced run.
    if (situation !== 'paced') await measureTimes(variants[situation], seed, costOf)
  }
  const means = [...sums].map(([name, sum]): [string, Cost] => [name, meanOf(sum, seeds.length)])
  return Object.fromEntries(means.sort(([a], [b]) => (a < b ? -1 : 1)))
}

type Sum = { -readonly [K in keyof Cost]: number }

/** Of all rules together, as quotas and shared pods are. */
async function measureRequests(on: readonly Variant[], seed: number, costOf: (name: string) => Sum): Promise<void> {
  const alive = new Map<string, { readonly cost: Sum; readonly sinceMs: number }>()

  let [firstMs, lastMs, limited] = [Number.POSITIVE_INFINITY, 0, 0]

  function exchanged({ owner, operation, response, sent, subject, received, key }: Exchange): void {
    const plane = planeOfOperation(operation)
    const cost = costOf(nameOf(owner, plane.name))
    cost.requests++
    if (plane.pacing.isOfAccount) {
      firstMs = Math.min(firstMs, sent.target)
      lastMs = received.target
      limited++
    }
    if (response === null || !isSuccess(response.status)) return
    if (operation === 'runJob' || operation === 'runJobSync') cost.jobs++
    if (operation === plane.creates?.create && plane.creates.kind === 'pod') {
      cost.pods++
      const id = idIn(JSON.parse(Buffer.from(response.body).toString()))
      if (id !== null) alive.set(id, { cost, sinceMs: received.target })
    }
    const pod = alive.get(subject ?? '')
    if (pod === undefined || key === 'stranger' || (operation !== plane.creates?.remove && response.status !== 204))
      return
    // Those of no rule live as long as the run.
    if (pod.cost !== costOf(plane.name)) pod.cost.podMs += received.target - pod.sinceMs
    alive.delete(subject ?? '')
  }

  const isPaced = on === variants.paced
  // What waits for days is paced by nothing.
  const rules = allRules().filter(({ id }) => !isPaced || rowOf(id).profile === 'core')
  await judgeOn({ variants: on, rules, seed, asReal: true, exchanged })
  if (isPaced) costOf('unused').requests += perMinute + ((lastMs - firstMs) / 60_000) * perMinute - limited
}

/** Of each rule alone: that rules wait for each other is for the plan to say. */
async function measureTimes(on: readonly Variant[], seed: number, costOf: (name: string) => Sum): Promise<void> {
  for (const rule of allRules().filter(({ kind }) => kind === 'scenario')) {
    let lastMs = 0
    let freedMs: number | null = null
    const [judgement] = await judgeOn({
      variants: on,
      rules: [rule],
      seed,
      asReal: true,
      exchanged({ received }) {
        lastMs = received.target
      },
      workersFreed() {
        freedMs = lastMs
      },
    })
    const { startedMs, endedMs } = judgement ?? {}
    if (startedMs == null || endedMs == null) continue
    const cost = costOf(rule.id)
    cost.ms += endedMs - startedMs
    if (cost.jobs > 0) cost.workerMs += (freedMs ?? endedMs) - startedMs
  }
}

/** The rule that an owner belongs to; what belongs to none is of its plane as a whole. */
function nameOf(owner: string, plane: string): string {
  const name = owner.replace(/^cleanup:/, '')
  return name.includes(':') || name === '' ? plane : name
}

function meanOf(sum: Sum, count: number): Cost {
  const counts = (total: number) => Math.round((total / count) * 10) / 10
  const lengths = (total: number) => Math.round(total / count / 100) * 100
  return {
    requests: counts(sum.requests),
    ms: lengths(sum.ms),
    workerMs: lengths(sum.workerMs),
    pods: counts(sum.pods),
    podMs: lengths(sum.podMs),
    jobs: counts(sum.jobs),
  }
}

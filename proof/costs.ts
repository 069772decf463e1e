import '../suites/all.ts'
import { type Exchange, isSuccess } from '../harness/exchange/exchange.ts'
import { idIn } from '../harness/exchange/read.ts'
import type { Cost, Costs } from '../harness/plan/costs.ts'
import { planeOfOperation } from '../harness/planes/index.ts'
import { allRules } from '../harness/rule/registry.ts'
import { judgeOn } from './judge.ts'

/** The costs of all rules on the reference: means over runs with these seeds, independent of this machine's speed. */
export async function measureCosts(seeds: readonly number[]): Promise<Costs> {
  const sums = new Map<string, Sum>()
  const costOf = (name: string): Sum => {
    const sum = sums.get(name) ?? { requests: 0, ms: 0, workerMs: 0, pods: 0, podMs: 0, jobs: 0 }
    sums.set(name, sum)
    return sum
  }
  for (const seed of seeds) {
    await measureRequests(seed, costOf)
    await measureTimes(seed, costOf)
  }
  const means = [...sums].map(([name, sum]): [string, Cost] => [name, meanOf(sum, seeds.length)])
  return Object.fromEntries(means.sort(([a], [b]) => (a < b ? -1 : 1)))
}

type Sum = { -readonly [K in keyof Cost]: number }

/** Of all rules together, as quotas and shared pods are. */
async function measureRequests(seed: number, costOf: (name: string) => Sum): Promise<void> {
  const alive = new Map<string, { readonly cost: Sum; readonly sinceMs: number }>()

  function exchanged({ owner, operation, response, subject, received, key }: Exchange): void {
    const plane = planeOfOperation(operation)
    const cost = costOf(nameOf(owner, plane.name))
    cost.requests++
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

  await judgeOn({ variants: [], rules: allRules(), seed, asReal: true, exchanged })
}

/** Of each rule alone: that rules wait for each other is for the plan to say. */
async function measureTimes(seed: number, costOf: (name: string) => Sum): Promise<void> {
  for (const rule of allRules().filter(({ kind }) => kind === 'scenario')) {
    let lastMs = 0
    let freedMs: number | null = null
    const [judgement] = await judgeOn({
      variants: [],
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

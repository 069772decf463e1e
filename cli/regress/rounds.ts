import { randomFrom } from '../../harness/common/random.ts'
import type { Exchange } from '../../harness/exchange/exchange.ts'
import { median } from '../../load/mixed/statistics.ts'
import { type Percentiles, percentilesOf } from '../../load/mixed/windows.ts'
import { expectUnanswered, isSuccessful, latenciesOf } from './exchanges.ts'
import { followJobs, type JobTimes } from './jobs.ts'
import type { Round } from './measures.ts'
import { type MeasuredOperation, reserve, send } from './operations.ts'
import { paced, paceFrom, sendEvenly, throughputOf } from './paced.ts'
import type { Side } from './side.ts'

/** Requests of one operation on one side in one round: one after the other, then with several open. */
const requests = { alone: 5, load: 16, open: 4 } as const

/** The values of one operation on one side. */
export interface OperationValues {
  readonly rounds: readonly (Round & Partial<JobTimes>)[]
  /** The fixed rate of starts, of both sides; null if no request of the baseline succeeded. */
  readonly perSecond: number | null
  /** Of all successful requests; null if there was none. */
  readonly alone: Percentiles | null
  readonly load: Percentiles | null
}

export type SideValues = Readonly<Record<string, OperationValues>>

/** The exchanges of one operation with one side in one round. */
interface Block {
  readonly alone: readonly Exchange[]
  readonly load: readonly Exchange[]
  /** At `perSecond`; empty if that is null. */
  readonly paced: readonly Exchange[]
  readonly perSecond: number | null
  /** Null for anything but runJob. */
  readonly jobs: JobTimes | null
}

interface MeasureOptions {
  readonly sides: readonly Side[]
  readonly operations: readonly MeasuredOperation[]
  readonly rounds: number
  readonly seed: number
  readonly signal: AbortSignal
  /** A stored baseline, at whose rates requests are sent; null if the first side is the baseline. */
  readonly stored: SideValues | null
}

/**
 * Measures each operation in rounds, the sides one right after the other, in an order that the seed draws. The first round, which
 * opens connections, fills caches and shows the baseline's rate, is left out.
 */
export async function measure(options: MeasureOptions): Promise<SideValues[]> {
  const { sides, operations, rounds, seed, signal, stored } = options
  const random = randomFrom(seed, 'order of the sides')
  const blocks = sides.map(() => new Map<MeasuredOperation, Block[]>(operations.map((one) => [one, []])))
  const rates = new Map(operations.map((one) => [one, stored?.[one]?.perSecond]))
  for (let round = 0; round <= rounds; round++) {
    for (const operation of operations) {
      const order = sides.map((_, at) => at)
      if (round > 0 && random() < 0.5) order.reverse()
      for (const at of order) {
        signal.throwIfAborted()
        const block = await measureBlock(sides[at] as Side, operation, rates.get(operation))
        rates.set(operation, block.perSecond)
        if (round > 0) blocks[at]?.get(operation)?.push(block)
      }
    }
  }
  return blocks.map((side) => Object.fromEntries([...side].map(([operation, all]) => [operation, valuesOf(all)])))
}

/** `rate`: requests per second; undefined if this block shows it. */
async function measureBlock(side: Side, operation: MeasuredOperation, rate: number | null | undefined): Promise<Block> {
  const { subject } = side
  /** A request that nothing sends again: each attempt is an exchange of its own. */
  const attempt = async () => {
    await send(operation, subject, { raw429: true, once: true, onceIfLate: true }).catch(expectUnanswered)
  }
  const taken = () => side.exchanges.splice(0).filter((exchange) => exchange.operation === operation)
  taken()
  for (let count = 0; count < requests.alone; count++) await attempt()
  const alone = taken()
  const jobs = operation === 'runJob' ? await followJobs(subject, alone) : null
  let left: number = requests.load
  const sending = async () => {
    while (left-- > 0) await attempt()
  }
  await Promise.all(Array.from({ length: requests.open }, sending))
  const load = taken()
  const perSecond = rate === undefined ? paceFrom(load, requests.open) : rate
  if (perSecond !== null) {
    await reserve(operation, subject, paced.requests)
    await sendEvenly(subject.context.clock, perSecond, attempt)
  }
  const block = { alone, load, paced: taken(), perSecond, jobs }
  // Jobs that still wait would delay those of the next block.
  if (jobs !== null) await followJobs(subject, block.paced.slice(-1))
  return block
}

function valuesOf(blocks: readonly Block[]): OperationValues {
  return {
    rounds: blocks.map(roundOf),
    perSecond: blocks[0]?.perSecond ?? null,
    alone: percentilesOf(blocks.flatMap(({ alone }) => latenciesOf(alone))),
    load: percentilesOf(blocks.flatMap(({ load }) => latenciesOf(load))),
  }
}

/** The values of one round. */
export function roundOf({ alone, load, paced, perSecond, jobs }: Block): Round & Partial<JobTimes> {
  const all = [...alone, ...load, ...paced]
  const shareOf = (isCounted: (exchange: Exchange) => boolean) => all.filter(isCounted).length / all.length
  const isLimited = ({ response }: Exchange) => response?.status === 429
  return {
    alone: middleOf(latenciesOf(alone)),
    load: middleOf(latenciesOf(load)),
    throughput: perSecond === null ? null : throughputOf(paced, perSecond),
    errors: shareOf((exchange) => !isSuccessful(exchange) && !isLimited(exchange)),
    limited: shareOf(isLimited),
    ...jobs,
  }
}

/** Shorter medians count as this, ms: a share of less is lost in the noise of the machine that measures. */
const shortestMs = 1

function middleOf(values: number[]): number | null {
  return values.length === 0 ? null : Math.max(shortestMs, median(values))
}

import { median } from 'simple-statistics'
import { randomFrom } from '../../harness/common/random.ts'
import { type Exchange, isSuccess } from '../../harness/exchange/exchange.ts'
import { Unanswered } from '../../harness/rule/outcome.ts'
import { type Percentiles, percentilesOf } from '../../load/mixed/windows.ts'
import type { Round } from './measures.ts'
import { type MeasuredOperation, send } from './operations.ts'
import type { Side } from './side.ts'

/** Requests of one operation on one side in one round: one after the other, and then with several open. */
const requests = { alone: 5, load: 16, open: 4 } as const

/** Requests that are open at once. */
export const concurrency = requests.open

/** The values of one operation on one side. */
export interface OperationValues {
  readonly rounds: readonly Round[]
  /** Of all successful requests; null if there was none. */
  readonly alone: Percentiles | null
  readonly load: Percentiles | null
}

export type SideValues = Readonly<Record<string, OperationValues>>

interface Block {
  readonly alone: readonly Exchange[]
  readonly load: readonly Exchange[]
}

interface MeasureOptions {
  readonly sides: readonly Side[]
  readonly operations: readonly MeasuredOperation[]
  readonly rounds: number
  readonly seed: number
  readonly signal: AbortSignal
  readonly onRound: (round: number) => void
}

/**
 * Measures each operation in rounds, the sides one right after the other, in an order that the seed draws. The first round, which
 * opens connections and fills caches, is left out.
 */
export async function measure(options: MeasureOptions): Promise<SideValues[]> {
  const { sides, operations, rounds, seed, signal, onRound } = options
  const random = randomFrom(seed, 'order of the sides')
  const blocks = sides.map(() => new Map<MeasuredOperation, Block[]>(operations.map((one) => [one, []])))
  for (let round = 0; round <= rounds; round++) {
    for (const operation of operations) {
      const order = sides.map((_, at) => at)
      if (random() < 0.5) order.reverse()
      for (const at of order) {
        signal.throwIfAborted()
        const block = await measureBlock(sides[at] as Side, operation)
        if (round > 0) blocks[at]?.get(operation)?.push(block)
      }
    }
    onRound(round)
  }
  return blocks.map((side) => Object.fromEntries([...side].map(([operation, all]) => [operation, valuesOf(all)])))
}

async function measureBlock(side: Side, operation: MeasuredOperation): Promise<Block> {
  /** A request that nothing sends again: each attempt is an exchange of its own. */
  const attempt = async () => {
    await send(operation, side.subject, { raw429: true, once: true, onceIfLate: true }).catch(expectUnanswered)
  }
  const taken = () => side.exchanges.splice(0).filter((exchange) => exchange.operation === operation)
  taken()
  for (let count = 0; count < requests.alone; count++) await attempt()
  const alone = taken()
  let left: number = requests.load
  const sending = async () => {
    while (left-- > 0) await attempt()
  }
  await Promise.all(Array.from({ length: requests.open }, sending))
  return { alone, load: taken() }
}

/** Without a response, the exchange counts as an error. */
function expectUnanswered(error: unknown): void {
  if (!(error instanceof Unanswered)) throw error
}

function valuesOf(blocks: readonly Block[]): OperationValues {
  return {
    rounds: blocks.map(roundOf),
    alone: percentilesOf(blocks.flatMap(({ alone }) => latenciesOf(alone))),
    load: percentilesOf(blocks.flatMap(({ load }) => latenciesOf(load))),
  }
}

/** The values of one round. */
export function roundOf({ alone, load }: Block): Round {
  const [single, busy] = [latenciesOf(alone), latenciesOf(load)]
  const all = [...alone, ...load]
  const shareOf = (isCounted: (exchange: Exchange) => boolean) => all.filter(isCounted).length / all.length
  const isLimited = ({ response }: Exchange) => response?.status === 429
  // By Little's law, so that a wait for the quota between two requests does not count.
  const busySeconds = load.reduce((sum, exchange) => sum + latencyOf(exchange), 0) / 1_000
  return {
    alone: single.length === 0 ? null : median(single),
    load: busy.length === 0 ? null : median(busy),
    throughput: busy.length === 0 ? null : (requests.open * busy.length) / busySeconds,
    errors: shareOf((exchange) => !isSuccessful(exchange) && !isLimited(exchange)),
    limited: shareOf(isLimited),
  }
}

function latenciesOf(exchanges: readonly Exchange[]): number[] {
  return exchanges.filter(isSuccessful).map(latencyOf)
}

/** Above 0, because ratios are compared by their logarithms. */
function latencyOf({ sent, received }: Exchange): number {
  return Math.max(0.001, received.harness - sent.harness)
}

function isSuccessful({ response }: Exchange): boolean {
  return response !== null && isSuccess(response.status)
}

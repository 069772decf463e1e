import { performance } from 'node:perf_hooks'
import type { RuleId, RuleRow } from '../../generated/rules.ts'
import type { Exchange } from '../../harness/exchange/exchange.ts'
import { planeOfOperation } from '../../harness/planes/index.ts'
import { redactorOf } from '../../harness/record/describe.ts'
import { noRecorder } from '../../harness/record/recorder.ts'
import type { Context } from '../../harness/rule/context.ts'
import { Inconclusive, Unverified } from '../../harness/rule/outcome.ts'
import { connectTo } from '../../harness/run/connect.ts'
import { createSession } from '../../harness/run/session.ts'
import type { Target } from '../../target/types.ts'
import { aborted, type Interruption } from '../shared/interrupt.ts'
import { version } from '../shared/package-paths.ts'
import { beginLedger, newRunId } from '../shared/run/runs.ts'
import { sweepOwn } from '../shared/sweep/sweep.ts'
import type { Terminal } from '../shared/terminal.ts'
import { type MeasuredOperation, prepare, type Subject } from './operations.ts'

/** A target that is being measured. */
export interface Side {
  readonly subject: Subject
  /** Exchanges with the target so far; whoever takes them empties the list. */
  readonly exchanges: Exchange[]
  /** Why nothing more can be measured, such as a host that is too slow for every request; null if there is no such reason. */
  ended(): string | null
  /** Removes all that was created on it. Resolves with the number of resources that are left. */
  close(): Promise<number>
}

interface SideOptions {
  readonly target: Target
  /** The target file as it was named on the command line. */
  readonly file: string
  readonly seed: number
  readonly connections: number
  readonly operations: readonly MeasuredOperation[]
  readonly interruption: Interruption
}

/** The owner of all measured requests. */
const owner = 'regress'

/** A row for the scenario that sends the requests; the ledger of rules has none. Its area is that of a plane that is measured. */
const rowOf = ([operation = 'listPods']: readonly MeasuredOperation[]): RuleRow => ({
  id: owner,
  area: planeOfOperation(operation).areas[0] ?? owner,
  profile: 'core',
  level: 'must',
  basis: 'open',
  source: '',
  says: 'The latency of operations is measured.',
  needs: [],
  parts: [],
  wait: null,
  judged: null,
})

/**
 * Opens a target in a scenario of its own, so that everything created is in the ledger of a run and is removed by `close`. Rejects
 * with the reason if what the operations need cannot be created.
 */
export async function openSide(options: SideOptions, terminal: Terminal): Promise<Side> {
  const { target, file, seed, connections, operations, interruption } = options
  const connected = await connectTo(target, { hears: false, connections })
  const clock = await connected.clockOf({})
  const run = newRunId()
  const exchanges: Exchange[] = []
  const prepared = Promise.withResolvers<Subject>()
  const measured = Promise.withResolvers<void>()
  const work = async (context: Context) => {
    await prepare(context, operations).then(prepared.resolve, prepared.reject)
    await measured.promise
  }
  const session = createSession({
    runId: run,
    version: version(),
    seed,
    target,
    transport: connected.transport,
    clock,
    recorder: {
      ...noRecorder,
      clean: redactorOf(target).text,
      exchange: (exchange) => exchange.owner === owner && exchanges.push(exchange),
    },
    resources: beginLedger(terminal.cwd, run, file, target),
    rules: [{ kind: 'scenario', id: owner as RuleId, run: work, alone: false }],
    rowOf: () => rowOf(operations),
    // Whole milliseconds are too coarse for latencies.
    wallNow: () => performance.timeOrigin + performance.now(),
  })
  let ended: string | null = null
  // A session ends its scenarios if the host stops answering.
  const judged = session.scenarios[0]?.judge().then(({ reason }) => {
    ended = reason ?? 'the measurement was ended'
    prepared.reject(new Inconclusive(ended))
  })
  void aborted(interruption.signal).then(() => session.cut(new Unverified('interrupted')))

  async function close(): Promise<number> {
    measured.resolve()
    await judged
    await session.finish()
    clock.close()
    await connected.close()
    return sweepOwn(target, { run, leaveKept: false, interruption }, terminal)
  }

  try {
    return { subject: await prepared.promise, exchanges, ended: () => ended, close }
  } catch (error) {
    await close()
    throw error
  }
}

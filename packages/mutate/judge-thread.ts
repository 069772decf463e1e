import { enableCompileCache, registerHooks } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'
import type { Judgement } from '../../harness/run/judge.ts'
import type { Order, Reply, Seen, ThreadData } from './crew.ts'

// Judges the reference with one mutant active at a time. The reference is loaded after the first order has come, so that
// the mutant of that order also changes what is computed at load.

/** The switch that the instrumenter's code reads, and what it counts; the names are the instrumenter's. */
const instrumented: {
  activeMutant?: string
  currentTestId?: string
  mutantCoverage?: {
    readonly static: Readonly<Record<string, number>>
    readonly perTest: Readonly<Record<string, Readonly<Record<string, number>>>>
  }
} = {}
Object.assign(globalThis, { __stryker__: instrumented })

const port = parentPort
if (port === null) throw new Error('judge-thread.ts runs in a worker thread only')
const { code, rules, expected } = workerData as ThreadData

enableCompileCache()
registerHooks({
  load(url, context, next) {
    const source = code.get(url)
    return source === undefined ? next(url, context) : { format: 'module', source, shortCircuit: true }
  },
})

/** Null ends the thread. */
port.on('message', async (order: Order | null) => {
  if (order === null) process.exit()
  // A mutant can make every rule wait for ever: a thread with nothing left to do then ends.
  port.unref()
  if (order.mutant !== null) instrumented.activeMutant = order.mutant
  const reply = await judge(order)
  port.ref()
  port.postMessage(reply)
})

async function judge({ name }: Order): Promise<Reply> {
  const { everything } = await import('../../proof/jobs.ts')
  const { judgeOn } = await import('../../proof/judge.ts')
  const chosen = everything().rules.filter(({ id }) => rules === null || rules.includes(id))
  instrumented.currentTestId = name
  const { promise: early, resolve: kill } = Promise.withResolvers<Reply>()
  const judged = (judgement: Judgement) => {
    const by = seenOf(judgement)
    if (isKill(by)) kill({ status: 'killed', by, seen: [], reached: { atLoad: [], running: [] } })
  }
  const whole = async (): Promise<Reply> => {
    const seen = (await judgeOn({ variants: [], rules: chosen, judged })).map(seenOf)
    const killed = seen.find(isKill)
    const by = killed ?? seen.find(isRecorded) ?? null
    const { static: atLoad = {}, perTest = {} } = instrumented.mutantCoverage ?? {}
    return {
      status: killed !== undefined ? 'killed' : by !== null ? 'recorded' : 'survived',
      by,
      seen,
      reached: { atLoad: Object.keys(atLoad), running: Object.keys(perTest[name] ?? {}) },
    }
  }
  return Promise.race([early, whole()])
}

function isKill({ rule, verdict }: Seen): boolean {
  return expected !== null && expected.get(rule)?.verdict !== verdict
}

function isRecorded({ rule, readings }: Seen): boolean {
  return expected !== null && expected.get(rule)?.readings !== readings
}

function seenOf({ rule, verdict, readings, findings: [finding], reason }: Judgement): Seen {
  const why = finding === undefined ? (reason ?? '') : `${finding.clause}: ${finding.observed}`
  return { rule, verdict, readings: JSON.stringify(readings), why }
}

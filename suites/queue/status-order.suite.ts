import { type Exchange, jsonOf, type Moment } from '../harness/exchange.ts'
import { canonical, membersOf } from '../harness/read.ts'
import { invariant } from '../harness/registry.ts'

/** A job as an answer showed it to be COMPLETED. */
interface Completed {
  readonly received: Moment
  /** Null where the answer had no output, or a null one. */
  readonly output: string | null
}

type Jobs = ReadonlyMap<string, Completed>

const shows: ReadonlySet<string> = new Set(['getJobStatus', 'runJobSync'])

invariant<Jobs>(
  'queue.status.order',
  new Map(),
  (jobs, exchange) => {
    const { operation, response, received, sent } = exchange
    const body = response?.status === 200 ? membersOf(jsonOf(response.body)) : null
    const id = exchange.subject ?? body?.id
    const key = `${exchange.endpoint} ${id}`
    const before = jobs.get(key)
    // A platform may take /retry of any job, and then all begins anew.
    if (operation === 'retryJob') return { state: without(jobs, key), exercised: [], findings: [] }
    if (!shows.has(operation) || body === null || typeof body.status !== 'string') return silent(jobs)
    const { status } = body
    const output = status === 'COMPLETED' ? outputOf(body.output) : null
    if (before === undefined || !isAfter(sent, before.received)) {
      const state = status === 'COMPLETED' && before === undefined ? new Map(jobs).set(key, { received, output }) : jobs
      return silent(state)
    }
    const hasOutputs = output !== null && before.output !== null
    const stays = { clause: 'stays', expected: 'status COMPLETED', observed: `status ${status}` }
    const same = { clause: 'output', expected: 'the same output', observed: 'another output' }
    return {
      state: jobs,
      exercised: ['stays', ...(hasOutputs ? ['output'] : [])],
      findings: [...(status === 'COMPLETED' ? [] : [stays]), ...(hasOutputs && output !== before.output ? [same] : [])],
    }
  },
  { plane: 'queue' },
)

function silent(state: Jobs) {
  return { state, exercised: [], findings: [] }
}

function without(jobs: Jobs, key: string): Jobs {
  if (!jobs.has(key)) return jobs
  const left = new Map(jobs)
  left.delete(key)
  return left
}

/** Whether a request was sent after an answer had come, by either clock. */
function isAfter(sent: Exchange['sent'], received: Moment): boolean {
  return sent.target > received.target || sent.harness > received.harness
}

function outputOf(output: unknown): string | null {
  return output === undefined || output === null ? null : canonical(output)
}

import { withEntry } from '../../harness/common/with-entry.ts'
import { type Exchange, isSuccess, jsonOf, type Moment } from '../../harness/exchange/exchange.ts'
import { canonical, idOrNumberIn, membersOf } from '../../harness/exchange/read.ts'
import { invariant } from '../../harness/rule/registry.ts'

/** A job as a response showed it to be COMPLETED. */
interface Completed {
  readonly operation: string
  readonly received: Moment
  /** As JSON; an output that is left out is one that is null. */
  readonly output: string
}

type Jobs = ReadonlyMap<string, Completed>

const shows: ReadonlySet<string> = new Set(['getJobStatus', 'runJobSync'])

invariant<Jobs>('queue.status.order', new Map(), (jobs, exchange, target) => {
  const { operation, response, received, sent } = exchange
  const body = isSuccess(response?.status ?? 0) ? membersOf(jsonOf(response?.body ?? new Uint8Array())) : null
  const id = exchange.subject ?? idOrNumberIn(body)
  const key = `${exchange.endpoint} ${id}`
  const before = jobs.get(key)
  // A platform may take /retry of any job, and then all begins anew.
  if (operation === 'retryJob') return { state: without(jobs, key), exercised: [], findings: [] }
  // A response of /runsync may lack the id of its job; another rule judges that.
  if (!shows.has(operation) || body === null || id === null || typeof body.status !== 'string') return silent(jobs)
  const { status } = body
  const isCompleted = status === 'COMPLETED'
  const output = canonical(body.output ?? null)
  // For a while another operation may show the job as it was before its end.
  const isLate =
    !isCompleted &&
    operation !== before?.operation &&
    sent.target < (before?.received.target ?? 0) + target.tolerances.dispatchMs
  if (before === undefined || isLate || !isAfter(sent, before.received)) {
    const state = isCompleted && before === undefined ? withEntry(jobs, key, { operation, received, output }) : jobs
    return silent(state)
  }
  const stays = { clause: 'stays', expected: 'status COMPLETED', observed: `status ${status}` }
  const same = { clause: 'output', expected: 'the same output', observed: 'another output' }
  return {
    // From now on the same operation must show it.
    state:
      isCompleted && operation !== before.operation ? withEntry(jobs, key, { ...before, operation, received }) : jobs,
    exercised: ['stays', ...(isCompleted ? ['output'] : [])],
    findings: [...(isCompleted ? [] : [stays]), ...(isCompleted && output !== before.output ? [same] : [])],
  }
})

function silent(state: Jobs) {
  return { state, exercised: [], findings: [] }
}

function without(jobs: Jobs, key: string): Jobs {
  if (!jobs.has(key)) return jobs
  const left = new Map(jobs)
  left.delete(key)
  return left
}

/** True if a request was sent after a response had arrived, by both clocks. */
function isAfter(sent: Exchange['sent'], received: Moment): boolean {
  return sent.target > received.target || sent.harness > received.harness
}

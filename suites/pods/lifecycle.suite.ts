import { withEntry } from '../../harness/common/with-entry.ts'
import { type Exchange, jsonOf } from '../../harness/exchange/exchange.ts'
import { membersOf } from '../../harness/exchange/read.ts'
import { invariant } from '../../harness/rule/registry.ts'
import { judged } from '../shared/shapes.ts'

/** The statuses of a new pod, in their order (heading Pod status). */
const order = ['PROVISIONING', 'STARTING', 'RUNNING']

interface Seen {
  /** The place of its status in the order. */
  readonly place: number
  readonly receivedMs: number
}

interface State {
  /** The last read of each pod, by id; null once something was done to the pod, or it took another way. */
  readonly pods: ReadonlyMap<string, Seen | null>
  /** Steps back of the run, sorted. */
  readonly back: readonly string[]
}

invariant<State>('pods.lifecycle.order', { pods: new Map(), back: [] }, (state, exchange) => {
  const nothing = { exercised: [], findings: [] }
  const { operation, response, sent, subject } = exchange
  const last = subject === null ? null : state.pods.get(subject)
  if (subject === null || last === null || (operation === 'getPod' && response?.status !== 200))
    return { state, ...nothing }
  const seen = operation === 'getPod' ? seenIn(exchange) : null
  const after = { ...state, pods: withEntry(state.pods, subject, seen) }
  // Two reads at once have no order.
  if (seen === null || last === undefined || sent.target < last.receivedMs) return { state: after, ...nothing }
  const [from = '', to = ''] = [order[last.place], order[seen.place]]
  const isBack = seen.place < last.place
  const back = isBack ? [...new Set([...state.back, `${from} to ${to}`])].sort() : state.back
  return {
    state: { ...after, back },
    ...judged('order', !isBack || from !== 'RUNNING', 'RUNNING as before', to),
    readings: { back: back.length === 0 ? 'none' : back.join(', ') },
  }
})

/** Null if the pod is in a status that is not part of the order. */
function seenIn({ received, response }: Exchange): Seen | null {
  const place = order.indexOf(String(membersOf(jsonOf(response?.body ?? new Uint8Array()))?.status))
  return place === -1 ? null : { place, receivedMs: received.target }
}

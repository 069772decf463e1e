import { isOfTrial, misreadStatuses } from '../../harness/client/connections.ts'
import type { Exchange } from '../../harness/exchange/exchange.ts'
import type { Finding } from '../../harness/rule/outcome.ts'
import { invariant } from '../../harness/rule/registry.ts'

/** The exchanges of one trial of a connection, as far as they were seen. */
interface Trial {
  readonly refused: Exchange | null
  readonly isMisread: boolean
  /** Status of the read on a new connection. */
  readonly fresh: number | null
}

interface State {
  /** True once a request with a body was refused. */
  readonly isExercised: boolean
  readonly trials: ReadonlyMap<string, Trial>
  readonly isFound: boolean
}

const initial: State = { isExercised: false, trials: new Map(), isFound: false }
const untried: Trial = { refused: null, isMisread: false, fresh: null }
const clause = 'own response'

invariant<State>(
  'errors.connection-in-step',
  initial,
  (state, exchange) => {
    const { owner, response } = exchange
    if (response === null) return { state, exercised: [], findings: [] }
    const isExercised = state.isExercised || isRefusedWithBody(exchange)
    const exercised = state.isExercised ? [clause] : []
    if (!isOfTrial(exchange)) {
      return { state: isExercised === state.isExercised ? state : { ...state, isExercised }, exercised, findings: [] }
    }
    const trial = state.trials.get(owner) ?? untried
    const finding = state.isFound ? null : findingOf(trial, exchange)
    const trials = new Map(state.trials).set(owner, after(trial, exchange))
    return {
      state: { isExercised, trials, isFound: state.isFound || finding !== null },
      exercised,
      findings: finding === null ? [] : [finding],
    }
  },
  { ofConnections: true },
)

function after(trial: Trial, exchange: Exchange): Trial {
  if (isRefusedWithBody(exchange)) return { ...trial, refused: exchange }
  if (exchange.follows === undefined) return { ...trial, fresh: exchange.response?.status ?? null }
  return { ...trial, isMisread: isMisreadAfter(trial, exchange) }
}

/** The second read that is misread after the refused request, while one on a new connection was not. */
function findingOf(trial: Trial, exchange: Exchange): Omit<Finding, 'exchange'> | null {
  const { refused, isMisread, fresh } = trial
  if (refused === null || !isMisread || fresh === null || misreadStatuses.has(fresh)) return null
  if (!isMisreadAfter(trial, exchange)) return null
  return {
    clause,
    expected: `the response to ${exchange.operation}, as on a new connection: status ${fresh}`,
    observed: `status ${exchange.response?.status}: a response to the unread body of the request before it, which was refused with status ${refused.response?.status}`,
  }
}

function isMisreadAfter({ refused }: Trial, { follows, response }: Exchange): boolean {
  return refused !== null && follows === refused.n && response !== null && misreadStatuses.has(response.status)
}

function isRefusedWithBody({ request: { body }, response }: Exchange): boolean {
  return body !== null && body.length > 0 && response !== null && response.status >= 400 && response.status < 500
}

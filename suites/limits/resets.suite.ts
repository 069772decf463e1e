import { type Exchange, headerList } from '../../harness/exchange/exchange.ts'
import { invariant } from '../../harness/rule/registry.ts'
import { numberOf, rateItems } from './rate-items.ts'

/** A window as one response shows it. */
interface Look {
  readonly t: number
  readonly sentMs: number
  readonly receivedMs: number
}

/** The first answer of a window that has not reset since, by key and window. */
type Looks = Readonly<Record<string, Look>>

/** As little time says nothing about whole seconds, ms. */
const leastMs = 2_000

invariant<Looks>('limits.pods.resets', {}, (looks, exchange, { tolerances }) => {
  const { key, operation, response, sent, received } = exchange
  const limit = response === null ? null : headerList(response.headers, 'RateLimit')
  // A 429 may come from a limiter in front of the API.
  if (key === null || limit === null || response?.status === 429 || operation === 'listCpuFlavors')
    return { state: looks, exercised: [], findings: [] }
  const policies = policiesOf(exchange)
  const next: Record<string, Look> = { ...looks }
  const findings: { clause: string; expected: string; observed: string }[] = []
  let isExercised = false
  for (const { name, parameters } of rateItems(limit)) {
    const [t, r] = [numberOf(parameters.get('t')), numberOf(parameters.get('r'))]
    if (t === null) continue
    const slackMs = tolerances.windowSlackS * 1_000
    const id = `${key} ${name}`
    const first = looks[id]
    const look = { t, sentMs: sent.target, receivedMs: received.target }
    // A window may have reset between the two answers, and begun anew.
    if (first === undefined || received.target - first.sentMs >= first.t * 1_000 - slackMs) {
      next[id] = look
      if (first !== undefined && isRefilled(t, r, policies.get(name))) isExercised = true
      continue
    }
    const passedMs = sent.target - first.receivedMs
    if (passedMs < leastMs) continue
    isExercised = true
    if (t * 1_000 <= first.t * 1_000 - passedMs + slackMs) continue
    const isAnew = isFull(t, policies.get(name), tolerances.windowSlackS) || isRefilled(t, r, policies.get(name))
    if (!isAnew) {
      findings.push({
        clause: 'falls',
        expected: `t of ${name} falls with time until the window resets`,
        observed: `t of ${name} has not fallen`,
      })
    }
  }
  return { state: next, exercised: isExercised ? ['falls'] : [], findings }
})

interface Policy {
  readonly q: number | null
  readonly w: number | null
}

function policiesOf({ response }: Exchange): ReadonlyMap<string, Policy> {
  const policy = response === null ? null : headerList(response.headers, 'RateLimit-Policy')
  const items = policy === null ? [] : rateItems(policy)
  return new Map(
    items.map(({ name, parameters }) => [name, { q: numberOf(parameters.get('q')), w: numberOf(parameters.get('w')) }]),
  )
}

/** A sliding window is empty again a whole window after the request that was just answered. */
function isFull(t: number, policy: Policy | undefined, slackS: number): boolean {
  return policy?.w != null && Math.abs(t - policy.w) <= slackS
}

/** A bucket that fills evenly is full once what was taken is refilled; or says when it has one request more. */
function isRefilled(t: number, r: number | null, policy: Policy | undefined): boolean {
  if (policy?.q == null || policy.w === null || r === null || policy.q === 0) return false
  const eachS = policy.w / policy.q
  const takenS = (policy.q - r) * eachS
  return t <= Math.ceil(eachS) + 1 || (t >= takenS - eachS - 1 && t <= takenS + 1)
}

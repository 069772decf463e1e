import { withEntry } from '../../harness/common/with-entry.ts'
import { isSuccess, jsonOf } from '../../harness/exchange/exchange.ts'
import { idIn, type Members, membersOf, resourcesIn } from '../../harness/exchange/read.ts'
import { everyExchange, invariant } from '../../harness/rule/registry.ts'
import { kindOfValue } from '../shared/readers.ts'
import { joined, jsonFlaws, judged, missingFields, type Shown } from '../shared/shapes.ts'
import { isDateTime } from './date-time.ts'
import { actionIn, everyPod, podsShown } from './pods-in.ts'

everyPod('pods.shape.cpu-no-persistent', ({ cpu, mounts }) => {
  const shown = membersOf(mounts)
  if (cpu === undefined || shown === null) return null
  return judged('none', !('persistent' in shown), 'no persistent mount beside cpu', 'a persistent mount beside cpu')
})

everyPod('pods.shape.runtime-ports', ({ ports, runtime }) => {
  const live = membersOf(runtime)
  if (live === null || !Array.isArray(ports)) return null
  const numbers = new Set(ports.map((entry) => Number.parseInt(String(entry), 10)))
  const entries = Array.isArray(live.ports) ? live.ports.map((one) => membersOf(one)?.private) : []
  const shown = entries.filter((one) => typeof one === 'number')
  if (shown.length === 0) return null
  const others = shown.filter((one) => !numbers.has(one))
  return judged('known', others.length === 0, 'private ports that are ports of the pod', 'another private port')
})

everyPod('pods.shape.datacenter', ({ cloud, dataCenterId, status }) => {
  // Hardware of the community is in no data center of the platform.
  if (status !== 'RUNNING' || dataCenterId === undefined || cloud !== 'SECURE') return null
  const observed = `${kindOfValue(dataCenterId)} while RUNNING`
  return judged('given', typeof dataCenterId === 'string', 'a string while RUNNING', observed)
})

everyPod('pods.shape.cost-running', ({ cost, status }) => {
  if (status !== 'RUNNING' || typeof cost !== 'number') return null
  return judged('positive', cost > 0, 'a cost above 0 while RUNNING', `cost ${cost} while RUNNING`)
})

everyExchange('pods.json', jsonFlaws)

everyExchange('pods.list.full-shape', ({ operation, response }, target) => {
  if (operation !== 'listPods' || response === null || !isSuccess(response.status)) return null
  const entries = resourcesIn(jsonOf(response.body), target.pods?.listAt ?? '') ?? []
  return entries.length === 0 ? null : { exercised: ['fields'], findings: entries.flatMap(missingFields) }
})

/** The state: when a removal of each pod first succeeded, ms. */
invariant<ReadonlyMap<string, number>>('pods.list.distinct', new Map(), (known, exchange, target) => {
  const { operation, received, response, sent, subject } = exchange
  const nothing = { state: known, exercised: [], findings: [] }
  if (response === null || !isSuccess(response.status)) return nothing
  const isTerminated = operation === 'triggerPodAction' && response.status === 204 && actionIn(exchange) === 'terminate'
  const isRemoval = operation === 'deletePod' || isTerminated
  if (isRemoval && subject !== null && !known.has(subject))
    return { ...nothing, state: withEntry(known, subject, received.target) }
  if (operation !== 'listPods') return nothing
  const entries = resourcesIn(jsonOf(response.body), target.pods?.listAt ?? '') ?? []
  if (entries.length === 0) return nothing
  const ids = entries.map(idIn)
  const twice = ids.find((id, at) => id !== null && ids.indexOf(id) !== at)
  const { settleMs, visibleMs } = target.tolerances
  const isOver = (id: string | null) => sent.target > (known.get(id ?? '') ?? sent.target) + settleMs + visibleMs
  // An entry of a list may omit its status, and then may be TERMINATED.
  const isLeft = ({ status = 'TERMINATED' }: Members) => status !== 'TERMINATED'
  const left = podsShown(exchange, target).find((pod) => isOver(idIn(pod)) && isLeft(pod))
  const seen = [
    judged('once', twice === undefined, 'each pod once', 'a pod twice'),
    ...([...known.keys()].some(isOver)
      ? [judged('removed', left === undefined, 'no pod that was removed', `status ${String(left?.status)}`)]
      : []),
  ]
  return { state: known, ...joined(seen) }
})

/** The data center of each volume, as pods have shown it. */
invariant<ReadonlyMap<string, string>>('pods.shape.network-datacenter', new Map(), (known, exchange, target) => {
  let state = known
  const seen: Shown[] = []
  for (const { dataCenterId, mounts } of podsShown(exchange, target)) {
    const network = membersOf(mounts)?.network
    const volume = membersOf(Array.isArray(network) ? network[0] : undefined)?.volumeId
    if (typeof volume !== 'string' || typeof dataCenterId !== 'string') continue
    const first = state.get(volume)
    if (first === undefined) state = withEntry(state, volume, dataCenterId)
    else seen.push(judged('same', first === dataCenterId, 'the data center of the volume', 'another data center'))
  }
  return { state, ...joined(seen) }
})

/** The times that a pod has shown. */
interface Times {
  readonly createdAt: unknown
  /** False as long as the run knows it from its creation, has seen it in PROVISIONING alone, and has not acted on it. */
  readonly mayHaveStarted: boolean
}

const slackMs = 1_000

invariant<ReadonlyMap<string, Times>>('pods.shape.times-order', new Map(), (known, exchange, target) => {
  const { operation, subject } = exchange
  let state = known
  const note = (id: string, createdAt: unknown, mayHaveStarted: boolean) => {
    const last = state.get(id)
    const isKnown = last?.createdAt === createdAt && last?.mayHaveStarted === mayHaveStarted
    if (!isKnown) state = withEntry(state, id, { createdAt, mayHaveStarted })
  }
  const seen: Shown[] = []
  const isActedOn = operation === 'triggerPodAction' || operation === 'updatePod'
  if (isActedOn && subject !== null) note(subject, state.get(subject)?.createdAt, true)
  for (const pod of podsShown(exchange, target)) {
    const id = idIn(pod)
    if (id === null) continue
    const last = state.get(id)
    const isOlder = last?.mayHaveStarted ?? operation !== 'createPod'
    const mayHaveStarted = isOlder || pod.status !== 'PROVISIONING'
    note(id, last?.createdAt ?? pod.createdAt, mayHaveStarted)
    seen.push(...timesJudged(pod, last?.createdAt, mayHaveStarted))
  }
  return { state, ...joined(seen) }
})

function timesJudged(
  { createdAt, startedAt, status }: Members,
  first: unknown,
  mayHaveStarted: boolean,
): readonly Shown[] {
  const created = momentOf(createdAt)
  const [began, started] = [momentOf(first), momentOf(startedAt)]
  const constant =
    created === null || began === null
      ? []
      : [judged('created', Math.abs(created - began) <= slackMs, 'createdAt as before', 'another createdAt')]
  const unstarted =
    mayHaveStarted || startedAt === undefined
      ? []
      : [
          judged(
            'unstarted',
            startedAt === null,
            'startedAt null before the first start',
            'startedAt before the first start',
          ),
        ]
  const given =
    status !== 'RUNNING' || startedAt === undefined
      ? []
      : [judged('given', startedAt !== null, 'a startedAt while RUNNING', 'startedAt null while RUNNING')]
  const isLater = created !== null && started !== null
  const ordered = isLater
    ? [judged('order', started >= created - slackMs, 'startedAt not before createdAt', 'startedAt before createdAt')]
    : []
  return [...constant, ...unstarted, ...given, ...ordered]
}

/** ms; null if it is not a moment. */
function momentOf(value: unknown): number | null {
  const ms = typeof value === 'string' && isDateTime(value) ? Date.parse(value.toUpperCase()) : Number.NaN
  return Number.isNaN(ms) ? null : ms
}

import type { RuleId } from '../../generated/rules.ts'
import { memoize, memoizeTexts } from '../../harness/common/memoize.ts'
import { type Exchange, isSuccess, jsonOf } from '../../harness/exchange/exchange.ts'
import { type Members, membersOf, resourcesIn } from '../../harness/exchange/read.ts'
import { everyExchange } from '../../harness/rule/registry.ts'
import type { Target } from '../../target/types.ts'
import { isPodStatus, type Shown } from '../shared/shapes.ts'

/** Where a pod was shown. */
interface PodPlace {
  /** The id that was asked for; null if none was. */
  readonly subject: string | null
  /** True if it must be complete. Otherwise the fields that it has are judged, and none is missing. */
  readonly isWhole: boolean
}

/**
 * The values in place of a whole pod in a successful response: the response to a read, which is the pod itself, and to
 * an action other than terminate, for which the full pod is promised.
 */
export function wholePodsIn(exchange: Exchange): readonly unknown[] {
  const { operation, response } = exchange
  if (response === null || !isSuccess(response.status)) return []
  if (operation === 'getPod') return [jsonOf(response.body)]
  if (operation !== 'triggerPodAction' || response.status !== 200) return []
  return actionIn(exchange) === 'terminate' ? [] : [jsonOf(response.body)]
}

/** The action that a request asks for; undefined if its body names none. */
export function actionIn({ request }: Exchange): unknown {
  return request.body === null ? undefined : membersOf(jsonOf(request.body))?.action
}

/**
 * Values that may be a pod, or a part of one, in another successful response: each entry of a list, and every value
 * with an id and the status of a pod in the response to a creation or PATCH. The description shows none of these.
 */
export function partialPodsIn({ operation, response }: Exchange, target: Target): readonly unknown[] {
  if (response === null || !isSuccess(response.status)) return []
  if (operation === 'listPods') return resourcesIn(jsonOf(response.body), target.pods?.listAt ?? '') ?? []
  if (operation !== 'createPod' && operation !== 'updatePod') return []
  const pod = membersOf(jsonOf(response.body))
  return pod !== null && 'id' in pod && isPodStatus(pod.status) ? [pod] : []
}

/** A pod of a response, where it was shown, and what each rule said of it. */
interface PlacedPod {
  readonly pod: Members
  readonly place: PodPlace
  /** By the number of the rule. */
  readonly verdicts: Shown[]
}

/** Entries of lists that are kept: a list shows most of the pods of the last one. */
const keptEntries = 2_000
const entryOf = memoizeTexts((text): unknown => JSON.parse(text), keptEntries)

const placesOf = memoize((_: Members) => new Map<string, PlacedPod>())

/** The same value for the same pod in the same place, so that what rules said of it is kept. */
function placed(pod: Members, place: PodPlace): PlacedPod {
  const places = placesOf(pod)
  const key = `${place.isWhole} ${place.subject}`
  const known = places.get(key) ?? { pod, place, verdicts: [] }
  places.set(key, known)
  return known
}

let last: { readonly exchange: Exchange; readonly pods: readonly PlacedPod[] } | null = null

/** The pods of an exchange, found once for all rules. */
function podsIn(exchange: Exchange, target: Target): readonly PlacedPod[] {
  if (last?.exchange === exchange) return last.pods
  const { subject } = exchange
  const shown = [
    ...wholePodsIn(exchange).map((value) => ({ value, isWhole: true })),
    ...partialPodsIn(exchange, target).map((value) => ({ value: entryOf(JSON.stringify(value)), isWhole: false })),
  ]
  const pods = shown.flatMap(({ value, isWhole }) => {
    const pod = membersOf(value)
    return pod === null ? [] : [placed(pod, { subject, isWhole })]
  })
  last = { exchange, pods }
  return pods
}

/** The pods of an exchange, wherever it shows them. */
export function podsShown(exchange: Exchange, target: Target): readonly Members[] {
  return podsIn(exchange, target).map(({ pod }) => pod)
}

let rules = 0

/**
 * An invariant over every pod of every response. `judge` says null, or names no clause, of a pod that says nothing about
 * the rule. It judges equal pods in equal places once.
 */
export function everyPod(id: RuleId, judge: (pod: Members, place: PodPlace) => Shown | null): void {
  const rule = rules++
  everyExchange(id, (exchange, target) => {
    const exercised = new Set<string>()
    const findings: Shown['findings'][number][] = []
    for (const { pod, place, verdicts } of podsIn(exchange, target)) {
      const verdict = verdicts[rule] ?? judge(pod, place) ?? saysNothing
      verdicts[rule] = verdict
      for (const clause of verdict.exercised) exercised.add(clause)
      findings.push(...verdict.findings)
    }
    return exercised.size === 0 ? null : { exercised: [...exercised], findings }
  })
}

const saysNothing: Shown = { exercised: [], findings: [] }

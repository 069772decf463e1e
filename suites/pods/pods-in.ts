import type { RuleId } from '../../generated/rules.ts'
import { type Exchange, isSuccess, jsonOf } from '../../harness/exchange/exchange.ts'
import { listOf, type Members, membersOf } from '../../harness/exchange/read.ts'
import { everyExchange } from '../../harness/rule/registry.ts'
import type { Target } from '../../target/types.ts'
import { isPodStatus, type Shown } from '../shared/shapes.ts'

/** Where a pod was shown. */
export interface PodPlace {
  /** The id that was asked for; null where none was. */
  readonly subject: string | null
  /** Whether it has to have everything: where it is not, what is there is judged and nothing is missed. */
  readonly isWhole: boolean
}

/**
 * What stands in the place of a whole pod in a successful answer: the answer to a read, which shows the pod itself, and
 * to an action other than terminate, of which the full pod is promised.
 */
export function wholePodsIn({ operation, request, response }: Exchange): readonly unknown[] {
  if (response === null || !isSuccess(response.status)) return []
  if (operation === 'getPod') return [jsonOf(response.body)]
  if (operation !== 'triggerPodAction' || response.status !== 200) return []
  const action = request.body === null ? undefined : membersOf(jsonOf(request.body))?.action
  return action === 'terminate' ? [] : [jsonOf(response.body)]
}

/**
 * What may be a pod, or a part of one, in another successful answer: each entry of a list, and what has an id and the
 * status of a pod in the answer to a creation or PATCH. The description shows none of these.
 */
export function partialPodsIn({ operation, response }: Exchange, target: Target): readonly unknown[] {
  if (response === null || !isSuccess(response.status)) return []
  if (operation === 'listPods') return listOf(jsonOf(response.body), target.pods?.listAt ?? '') ?? []
  if (operation !== 'createPod' && operation !== 'updatePod') return []
  const pod = membersOf(jsonOf(response.body))
  return pod !== null && 'id' in pod && isPodStatus(pod.status) ? [pod] : []
}

/**
 * An invariant over every pod of every answer. `judge` says null, or names no clause, of a pod that says nothing about
 * the rule.
 */
export function everyPod(id: RuleId, judge: (pod: Members, place: PodPlace) => Shown | null): void {
  everyExchange(id, (exchange, target) => {
    const { subject } = exchange
    const seen = [
      ...wholePodsIn(exchange).map((value) => judged(value, { subject, isWhole: true })),
      ...partialPodsIn(exchange, target).map((value) => judged(value, { subject, isWhole: false })),
    ].filter((verdict) => verdict !== null)
    const exercised = [...new Set(seen.flatMap((verdict) => verdict.exercised))]
    return exercised.length === 0 ? null : { exercised, findings: seen.flatMap(({ flaws }) => flaws) }
  })

  function judged(value: unknown, place: PodPlace): Shown | null {
    const pod = membersOf(value)
    return pod === null ? null : judge(pod, place)
  }
}

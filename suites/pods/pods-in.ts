import type { RuleId } from '../../generated/rules.ts'
import { type Exchange, jsonOf } from '../harness/exchange.ts'
import { listOf, type Members, membersOf } from '../harness/read.ts'
import { everyExchange } from '../harness/registry.ts'
import type { Target } from '../harness/target/types.ts'
import type { Flaw } from './shapes.ts'

/** What a pod shows of a rule: the clauses that it exercises, and those it breaks. */
export interface PodSeen {
  readonly exercised: readonly string[]
  readonly flaws: readonly Flaw[]
}

/**
 * What stands in the places of pods in a successful answer: the answer to a read, to an action other than terminate,
 * and each entry of a list. The description shows no answer to creation and PATCH, so there a pod is what has an id and a
 * status.
 */
export function podsIn({ operation, request, response }: Exchange, target: Target): readonly unknown[] {
  if (response === null || response.status < 200 || response.status > 299) return []
  const json = jsonOf(response.body)
  switch (operation) {
    case 'getPod':
      return [json]
    case 'triggerPodAction': {
      const action = request.body === null ? undefined : membersOf(jsonOf(request.body))?.action
      return response.status === 200 && action !== 'terminate' ? [json] : []
    }
    case 'createPod':
    case 'updatePod':
      return hasIdAndStatus(json) ? [json] : []
    case 'listPods':
      return listOf(json, target.pods?.listAt ?? '') ?? []
    default:
      return []
  }
}

/** An invariant over every pod of every answer; `judge` says null of a pod that says nothing about the rule. */
export function everyPod(id: RuleId, judge: (pod: Members, exchange: Exchange) => PodSeen | null): void {
  everyExchange(id, (exchange, target) => {
    const seen = podsIn(exchange, target).flatMap((value) => {
      const pod = membersOf(value)
      const verdict = pod === null ? null : judge(pod, exchange)
      return verdict === null ? [] : [verdict]
    })
    if (seen.length === 0) return null
    return {
      exercised: [...new Set(seen.flatMap(({ exercised }) => exercised))],
      findings: seen.flatMap(({ flaws }) => flaws),
    }
  })
}

function hasIdAndStatus(value: unknown): boolean {
  const members = membersOf(value)
  return members !== null && 'id' in members && 'status' in members
}

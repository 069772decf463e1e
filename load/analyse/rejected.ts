import { pluralize } from '../../harness/common/pluralize.ts'
import type { PodPlan } from '../plan/types.ts'
import { isNeither, isRefused, isServed, type Point } from '../points.ts'
import { isCarriedOut, isGone } from '../scripts/lib/steps.ts'
import { failed, passed, type Ruling, unclear } from './verdict.ts'

/**
 * A creation answered 429 makes no pod, and an action answered 429 leaves the pod as it was. The same action is carried out once
 * the quota has room, and a read showed the pod before.
 */
export function judgeRejected(points: readonly Point[], { action }: PodPlan): Ruling {
  if (action === null) return unclear('no pod was created: the longer windows may have too few requests left')
  const of = (operation: string) => points.filter((point) => point.operation === operation)
  const creations = of('createPod')
  const created = creations.find(isServed) ?? creations.at(-1)
  if (created === undefined || !isServed(created)) return unclear(`a creation ${fateOf(created)}`)
  const pods = podsAfterRefusal(creations, of('pods'))
  const served = creations.filter(isServed).length
  if (pods > served) {
    const shown = `a list shows ${pods} pods of its name, and ${pluralize(served, 'creation')} ${served === 1 ? 'was' : 'were'} served`
    return failed(`a creation answered 429 was carried out: ${shown}`)
  }
  if (!points.some(isRefused)) return unclear(`none of ${points.length} pod requests was refused`)
  const [refused, ...later] = of('act')
  if (refused === undefined || !isRefused(refused)) {
    return unclear(`the ${action} while the quota was used up ${fateOf(refused)}, and 429 is expected`)
  }
  const reads = of('getPod').filter((point) => !isRefused(point))
  const before = reads.findLast(({ sentMs }) => sentMs < refused.sentMs)
  const taken = later.find((point) => !isRefused(point))
  const after =
    reads.find(({ sentMs }) => sentMs > refused.receivedMs && sentMs < (taken?.sentMs ?? Infinity)) ??
    of('getPod').find(({ sentMs }) => sentMs > refused.receivedMs)
  const last = reads.at(-1)
  if (before === undefined || !isServed(before) || isCarriedOut(action, before)) {
    return unclear(`before the ${action} a read of the pod ${fateOf(before)}`)
  }
  if (after === undefined || !(isServed(after) || after.status === 404)) {
    return unclear(`after the ${action} a read of the pod ${fateOf(after)}`)
  }
  const removal = of('deletePod').find(({ sentMs }) => sentMs < after.sentMs)
  if (removal !== undefined && !isRefused(removal)) {
    return unclear(`a deletion while the quota was used up ${fateOf(removal)}, and 429 is expected`)
  }
  if (isCarriedOut(action, after) || isGone(after)) {
    const request = removal === undefined ? action : `${action} or a delete`
    return failed(`a ${request} answered 429 was carried out: a read ${fateOf(after)}`)
  }
  const twin = later.at(-1)
  if (twin === undefined || !isServed(twin) || last === undefined || !isCarriedOut(action, last)) {
    return unclear(`the same ${action} ${fateOf(twin)} later, and a read ${fateOf(last)}`)
  }
  const unjudged = pods === 0 ? '; creations are not judged, because no later list shows the pod' : ''
  return passed(`a ${action} answered 429 was not carried out, and the same one was once the quota had room${unjudged}`)
}

/** How many pods of the load the lists after a refused creation show at most; 0 if nothing tells. */
function podsAfterRefusal(creations: readonly Point[], lists: readonly Point[]): number {
  const refused = creations.find(isRefused)
  if (refused === undefined || creations.some(isNeither)) return 0
  const later = lists.filter(({ sentMs }) => sentMs > refused.receivedMs)
  return Math.max(0, ...later.map(({ unfinished = 0 }) => unfinished))
}

function fateOf(point: Point | undefined): string {
  if (point === undefined) return 'was not sent'
  if (point.kind === 'transport') return 'had no response'
  return `was answered ${point.status}${typeof point.podStatus === 'string' ? ` with status ${point.podStatus}` : ''}`
}

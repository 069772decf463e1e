import { membersOf } from '../../harness/exchange/read.ts'
import { type PodService, Refusal, type StoredPod } from '../../reference/index.ts'
import {
  afterwards,
  type Change,
  exchanges,
  is,
  type Json,
  jsonOf,
  onResponse,
  part,
  type Wrap,
  withBody,
} from './tools.ts'

/** A change to PATCH; `next` goes on, with the body or another one. */
type Step = (pod: StoredPod, body: Json, next: (body?: Json) => void, service: PodService) => void

/** PATCH does something else with a body that is an object, before it is validated. */
export function patching(step: Step): Change {
  return part('patchPod', (next, pod, given, service) => {
    const body = membersOf(given)
    if (body === null) next()
    else step(pod, body, (other = body) => next(pod, other), service)
  })
}

/** The mounts of some PATCHes are exchanged for others before anything looks at them; null leaves them as they are. */
export function amends(amend: (mounts: Json) => Json | null): Wrap {
  return exchanges(is.patch, (body) => {
    const mounts = membersOf(body.mounts)
    const other = mounts === null ? null : amend(mounts)
    return other === null ? null : { ...body, mounts: other }
  })
}

/** Some refused PATCHes are carried out all the same, with the mounts that `amend` makes of theirs. */
export function carriesOut(amend: (mounts: Json) => Json | null): Wrap {
  return afterwards(
    (request, response) => is.patch(request) && response.status >= 400,
    async (request, body, fetch) => {
      const mounts = membersOf(body.mounts)
      const other = mounts === null ? null : amend(mounts)
      return other === null ? null : fetch(withBody(request, { mounts: other }))
    },
  )
}

/** The responses to PATCHes that `when` picks by their mounts have another status, and their problem says so too. */
export function answersWith(when: (mounts: unknown) => boolean, status: number): Wrap {
  return (fetch) => async (request) => {
    const body = is.patch(request) ? await jsonOf(request) : null
    const restated = onResponse(
      () => body !== null && when(body.mounts),
      (answer) => ({ status, text: answer.text.replace(`${answer.status}`, `${status}`) }),
    )
    return restated(fetch)(request)
  }
}

/** PATCHes that `when` picks are refused with a status. */
export function refuses(when: (pod: StoredPod, body: Json) => boolean, status: number): Change {
  return patching((pod, body, next) => {
    if (when(pod, body)) throw new Refusal(status, 'this change is not possible')
    next()
  })
}

/** Valid PATCHes that `when` picks are answered as if they were carried out, and are not. */
export function forgets(when: (pod: StoredPod, body: Json) => boolean): Change {
  return patching((pod, body, next) => {
    const before = { ...pod }
    const isMeant = when(pod, body)
    next()
    if (isMeant) Object.assign(pod, before)
  })
}

/** PATCHes that are refused leave a pod that `when` picks with other mounts. */
export function refusesAndSets(
  when: (pod: StoredPod, body: Json) => boolean,
  mounts: (pod: StoredPod, body: Json) => StoredPod['mounts'],
): Change {
  return patching((pod, body, next) => {
    try {
      next()
    } catch (error) {
      if (when(pod, body)) pod.mounts = mounts(pod, body)
      throw error
    }
  })
}

/** The mount that a pod has. */
export function mountOf({ mounts }: StoredPod): 'none' | 'network' | 'persistent' {
  if (mounts.persistent !== undefined) return 'persistent'
  return mounts.network === undefined ? 'none' : 'network'
}

export function isCpuPod({ hardware }: StoredPod): boolean {
  return 'cpu' in hardware
}

export function mountsIn(body: Json): Json {
  return membersOf(body.mounts) ?? {}
}

/** The entries of the list of network mounts; none if there is no list. */
export function entriesIn(mounts: Json): readonly Json[] {
  return Array.isArray(mounts.network) ? mounts.network.map((entry) => membersOf(entry) ?? {}) : []
}

/** A field of some PATCHes has no effect. */
export function leavesOut(field: string, when: (body: Json) => boolean): Change {
  return patching((_, body, next) => {
    const { [field]: _left, ...others } = body
    next(when(body) ? others : body)
  })
}

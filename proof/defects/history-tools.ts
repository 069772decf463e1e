import type { PodAction } from '../../generated/tables.ts'
import type { PodService, StoredPod } from '../../reference/index.ts'
import type { PartWrappers } from '../../reference/parts.ts'
import { type Change, parts } from './tools.ts'

/** The history of a pod: the actions that were carried out, and `patch`. */
export type Past = readonly (PodAction | 'patch')[]

interface Acting {
  readonly pod: StoredPod
  readonly service: PodService
  readonly past: Past
  /** Carries the action out as ever. */
  readonly next: () => void
}

/** Some actions do something else; `other` says what, null for what they do as ever. */
export function acts(other: (action: PodAction, acting: Acting) => (() => void) | null): Change {
  return (options) => {
    const pasts = new WeakMap<StoredPod, Past>()
    const changed: PartWrappers = {
      transition: (original) => (pod, action, service) => {
        const next = () => original(pod, action, service)
        const act = other(action, { pod, service, past: pasts.get(pod) ?? [], next }) ?? next
        act()
      },
    }
    return parts(changed, remembering(pasts))(options)
  }
}

/** A start of a pod that was started before has another effect beside its own. */
export function secondStart(effect: (pod: StoredPod) => void): Change {
  return acts((action, { next, past, pod }) => {
    if (action !== 'start' || !past.includes('start')) return null
    return () => {
      next()
      effect(pod)
    }
  })
}

/** Some actions are permitted because of what happened to the pod before. */
export function permits(when: (action: PodAction, past: Past) => boolean): Change {
  return (options) => {
    const pasts = new WeakMap<StoredPod, Past>()
    const changed: PartWrappers = {
      permit: (original) => (pod, action, service) =>
        when(action, pasts.get(pod) ?? []) ? null : original(pod, action, service),
    }
    return parts(changed, remembering(pasts))(options)
  }
}

/** Notes what happens to pods, once it has. */
export function remembering(pasts: WeakMap<StoredPod, Past>): PartWrappers {
  const note = (pod: StoredPod, what: Past[number]) => pasts.set(pod, [...(pasts.get(pod) ?? []), what])
  return {
    transition: (original) => (pod, action, service) => {
      original(pod, action, service)
      note(pod, action)
    },
    patchPod: (original) => (pod, body, service) => {
      original(pod, body, service)
      note(pod, 'patch')
    },
  }
}

import { type PodAction, type PodStatus, tables } from '../../generated/tables.ts'
import { type PodService, type ReferenceOptions, Refusal, type StoredPod } from '../../reference/index.ts'
import { type Change, idIn, is, type Json, jsonOf, options, part, readOf, serving } from './tools.ts'

/** One cell of the table of actions: a pod in this status that is asked for this action. */
export interface Cell {
  readonly status: PodStatus
  readonly action: PodAction
}

/** A cell, or without a status all cells of an action. */
type Row = Pick<Cell, 'action'> & Partial<Cell>

/** Something that happens to a pod. */
export type Effect = (pod: StoredPod, service: PodService) => void

/** The effect of an action, whether or not the status permits it. */
export function effectOf(action: PodAction): Effect {
  return (pod, service) => service.parts.transition(pod, action, service)
}

/** The same effect, later on the clock. */
export function later(ms: number, effect: Effect): Effect {
  return (pod, service) => void service.clock.schedule(service.clock.now() + ms, () => effect(pod, service))
}

/** A pod that was terminated is there again. */
export function comesBackAs(status: PodStatus): Effect {
  return (pod, service) => {
    service.store.add(pod)
    service.parts.enter(pod, status, service)
  }
}

/** A terminated pod is there again a second later, in whatever way it was terminated. */
export const comesBack: Change = part('transition', (next, pod, action, service) => {
  next()
  if (action === 'terminate') later(1_000, comesBackAs('EXITED'))(pod, service)
})

/** The action is refused in this cell as if the status did not permit it. */
export function refuses(cell: Cell): Change {
  return part('permit', (next, pod, action) => {
    if (isIn(cell, pod, action)) return new Refusal(409, `the status ${pod.status} does not permit ${action}`)
    return next()
  })
}

/** The action is permitted in this cell. */
export function permits(cell: Cell): Change {
  return part('permit', (next, pod, action) => {
    return isIn(cell, pod, action) ? null : next()
  })
}

/** The action is refused in this cell, with an effect all the same. */
export function refusesWith(cell: Cell, effect: Effect): Change {
  return part('permit', (next, pod, action, service) => {
    if (!isIn(cell, pod, action)) return next()
    effect(pod, service)
    return new Refusal(409, `the status ${cell.status} does not permit ${action}`)
  })
}

/** The action has another effect in this cell; its response is the usual one. */
export function does(cell: Cell, effect: Effect): Change {
  return part('transition', (next, pod, action, service) => {
    if (isIn(cell, pod, action)) effect(pod, service)
    else next()
  })
}

/** Beside what the action does in this cell, or in every status, it has another effect. */
export function doesToo(cell: Row, effect: Effect): Change {
  return part('transition', (next, pod, action, service) => {
    const isMeant = isIn(cell, pod, action)
    next()
    if (isMeant) effect(pod, service)
  })
}

/** The response to an action that was carried out in this cell is rewritten. */
export function answers(cell: Cell, rewrite: (response: Response) => Response | Promise<Response>): Change {
  return serving(async (request, { fetch }) => {
    if (!is.action(request) || (await jsonOf(request))?.action !== cell.action) return fetch(request)
    const before = await (await fetch(readOf(request))).json()
    const response = await fetch(request)
    return response.ok && (before as Json).status === cell.status ? rewrite(response) : response
  })
}

/** Members of the JSON object that a response carries are changed. */
export function rewritten(change: (json: Json) => unknown): (response: Response) => Promise<Response> {
  return async (response) => {
    const { status, headers } = response
    return Response.json(change((await response.json()) as Json), { status, headers })
  }
}

/** Action calls that are answered with an error have an effect on their pod all the same. */
export function carriesOut(
  when: (request: Request, response: Response) => boolean,
  effect: Effect,
  more: Partial<ReferenceOptions> = {},
): Change {
  const act = serving(async (request, { fetch, service }) => {
    const response = await fetch(request)
    const known = service()
    const pod = known?.store.get(idIn(request))
    if (pod && known && is.action(request) && response.status >= 400 && when(request, response)) effect(pod, known)
    return response
  })
  return (base) => options(more)(act(base))
}

/** The difference that `sameAs` reports for a pod that has another status now. */
export function seen(from: PodStatus, to: PodStatus): string {
  const isSame = JSON.stringify(tables.actions[from]) === JSON.stringify(tables.actions[to])
  return `${isSame ? '' : `actions ${JSON.stringify(tables.actions[to])}, `}status "${to}"`
}

function isIn({ action, status }: Row, pod: StoredPod, asked: PodAction): boolean {
  return asked === action && (status === undefined || pod.status === status)
}

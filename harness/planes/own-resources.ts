import type { ApiResponse } from '../client/api-response.ts'
import { RawBody } from '../client/body.ts'
import type { Call, Caller, CallerOptions } from '../client/caller.ts'
import { retryThroughDrops, retryThroughGateway } from '../client/retry.ts'
import { isSuccess, textOf } from '../exchange/exchange.ts'
import { createdIdIn, idOrNumberIn, membersOf, resourcesIn } from '../exchange/read.ts'
import type { Resource } from '../record/resources.ts'
import { isOutage } from '../rule/check.ts'
import { unlessUnanswered } from '../rule/outcome.ts'
import { sectionOf } from './index.ts'
import { createClients, type OwnerContext, type RunServices } from './owner.ts'
import type { Plane, Removable, Removal } from './plane.ts'
import { createRemover } from './removing.ts'

/**
 * An owner's access to a plane whose resources are removed after it. Its harmless requests are repeated while a gateway
 * answers.
 */
export function createResourceAccess<Client extends Caller>(
  plane: Plane,
  host: OwnerContext,
  clientOf: (caller: Caller) => Client,
) {
  const section = sectionOf(host.services.target, plane.name)
  const listAt = section === null ? undefined : plane.creates?.listAt(section)
  const { note, removables } = createOwnResources(plane, host.services, listAt)
  const repeat = repeating(plane, (ms) => host.actor.sleep(ms))
  const optionsOf = (key: string): Pick<CallerOptions, 'note' | 'repeat'> => ({
    repeat,
    note: (operation, call) => note(operation, call, key),
  })
  const as = createClients(plane, host, optionsOf, clientOf)
  return { as, removables, remover: (removal: Removal) => createRemover(plane, { as }, removal) }
}

/**
 * The resources that one owner created on a plane. Each has a line in the ledger of resources. `listAt`: the member of a
 * response that has the list.
 */
export function createOwnResources(
  { creates }: Plane,
  { channel, resources }: Pick<RunServices, 'resources'> & { readonly channel: Pick<RunServices['channel'], 'now'> },
  listAt = '',
) {
  /** By name; the id is null if it is not known. */
  const left = new Map<string, { readonly id: string | null; readonly atMs: number; readonly key: string }>()
  /** Names that were sent in more than one creation: each creation may have made one. */
  const again = new Set<string>()
  let unnamed = 0

  function recordState(
    name: string,
    id: string | null,
    state: 'requested' | 'refused' | 'created' | 'removed' | 'kept',
    atMs?: number,
  ): void {
    if (creates !== null) resources({ ...creates.line, name, id, state, ...(atMs !== undefined && { atMs }) })
  }

  function add(name: string, id: string | null, key: string): void {
    const atMs = channel.now()
    left.set(name, { id, atMs, key })
    recordState(name, id, id === null ? 'requested' : 'created', atMs)
  }

  function creating(body: unknown, key: string): (response: ApiResponse) => void {
    const name = nameIn(body)
    const given = typeof name === 'string' ? name : `unnamed-${++unnamed}`
    if (given === name) {
      if (left.has(given)) again.add(given)
      add(given, null, key)
    }
    return (response) => {
      const id = isSuccess(response.status) ? createdIdIn(response.json, name) : null
      if (id !== null) {
        add(given, id, key)
      } else if (given === name && response.status >= 400 && response.status < 500) {
        // A refused creation is looked for at the end, because the target's response is what is being judged.
        left.delete(given)
        recordState(given, null, 'refused')
      }
    }
  }

  /** Takes the ids that creations did not show from a list. Without its id, a resource is only removed at the end of the run. */
  function listed({ json, status }: ApiResponse): void {
    for (const one of isSuccess(status) ? (resourcesIn(json, listAt) ?? []) : []) {
      const [id, name] = [idOrNumberIn(one), membersOf(one)?.name]
      if (id === null || typeof name !== 'string') continue
      const known = left.get(name)
      if (known?.id === null) add(name, id, known.key)
    }
  }

  /** A resource that was read is visible: a later 404 says that it is gone. */
  function read(id: string | undefined, status: number): void {
    if (status !== 200) return
    for (const [name, one] of left) if (one.id === id) left.set(name, { ...one, atMs: 0 })
  }

  /** With a key that did not create it, a target may answer with success and do nothing: a fault that rules look for. */
  function isTrusted(key: string, id: string): boolean {
    return key === 'full' || [...left.values()].some((one) => one.id === id && one.key === key)
  }

  function removed(id: string | null): void {
    for (const [given, known] of left) {
      if (known.id !== id) continue
      left.delete(given)
      recordState(given, id, 'removed')
      // It is searched for by name at the end.
      if (again.delete(given)) recordState(given, null, 'requested')
    }
  }

  return {
    /** Called before a request is sent with a key. The returned function takes the response. */
    note(operation: string, { ids, body, authorization, other }: Call, key: string): (response: ApiResponse) => void {
      // A target may create what a request that is not an operation describes.
      const mayCreate = other !== undefined && typeof nameIn(body) === 'string'
      if (operation === creates?.create || mayCreate) return creating(body, key)
      if (operation === creates?.list) return listed
      if (operation === creates?.get) return ({ status }) => read(ids?.id, status)
      return ({ status }) => {
        const isRemoval = operation === creates?.remove && authorization === undefined && status < 300
        if (isRemoval && ids?.id !== undefined && isTrusted(key, ids.id)) removed(ids.id)
      }
    },
    removables: (): Removable[] =>
      [...left].flatMap(([name, { id, atMs }]) => {
        if (creates === null) return []
        const keep = () => {
          recordState(name, id, 'kept')
          left.delete(name)
        }
        const of: Resource = { ...creates.line, name, id, state: id === null ? 'requested' : 'created', atMs }
        return [{ of, keep, removed: () => removed(id) }]
      }),
  }
}

/** Sends harmless requests of a plane again while a gateway answers in place of the API. */
function repeating(
  { creates, operations }: Pick<Plane, 'creates' | 'operations'>,
  sleep: (ms: number) => Promise<unknown>,
): NonNullable<CallerOptions['repeat']> {
  return async (operation, call, send) => {
    const once = () => send(operation, call)
    if (creates === null) return once()
    const again = () => send(operation, { ...call, newConnection: true })
    const { get, kind, list } = creates
    const other = () => (operation === list ? send(get, { ids: { id: `plumbline-no-such-${kind}` } }) : send(list, {}))
    const first = await (call.mustBeRefused === true ? retryThroughDrops(once, { again, other, sleep }) : once())
    const isServerError = first.status >= 500 && !isOutage(first)
    // The rule judges the first response, and `errors.no-5xx` whether the second one is the same.
    if (isServerError && (call.mustBeRefused === true || call.isWrong === true)) await unlessUnanswered(again())
    const isRead = operations[operation]?.method === 'GET'
    const isRefused = call.mustBeRefused === true || call.authorization !== undefined
    const isHarmless = isRead || isRefused || call.repeats === true
    return isOutage(first) && isHarmless ? retryThroughGateway(first, { again: once, other, sleep }) : first
  }
}

/** The name in the body of a creation, also if it is sent as bytes. */
function nameIn(body: unknown): unknown {
  if (!(body instanceof RawBody)) return membersOf(body)?.name
  return /["']name["']\s*:\s*["']([^"'\\]+)/.exec(textOf(body.bytes) ?? '')?.[1]
}

import type { ScriptRequest, ScriptUnfinished } from './types.ts'

type Entry = { readonly name?: string; readonly status?: string } | null

/** How many unfinished jobs or pods a response counts or lists; NaN if it does neither. */
export function unfinishedIn(json: unknown, unfinished: ScriptUnfinished): number {
  if ('counts' in unfinished) return unfinished.counts.reduce((sum, path) => sum + Number(valueAt(json, path)), 0)
  const { listAt, finalStatuses, name } = unfinished
  const list = resourcesIn(json, listAt)
  const isMeant = (entry: Entry) => name === undefined || entry?.name === name
  return list?.filter((entry) => isMeant(entry) && !finalStatuses.includes(entry?.status ?? '')).length ?? Number.NaN
}

/** The tag of a success that shows unfinished jobs or pods where the request says; `json` reads its body. */
export function unfinishedTag(
  { unfinished }: ScriptRequest,
  status: number,
  json: () => unknown,
): { readonly unfinished?: string } {
  if (unfinished === undefined || status !== 200) return {}
  const count = unfinishedIn(json(), unfinished)
  return Number.isFinite(count) ? { unfinished: String(count) } : {}
}

/**
 * The list at the member, else the response or its only member that is a list of objects, as `resourcesIn` of
 * `harness/exchange/read.ts`, which k6 cannot import.
 */
function resourcesIn(json: unknown, at: string | undefined): readonly Entry[] | undefined {
  const named = at === '' ? json : Object(json)[at ?? '']
  if (Array.isArray(named)) return named
  if (Array.isArray(json)) return json
  const [only, ...others] = Object.values(Object(json)).filter((member) => Object(member) === member)
  const isList = others.length === 0 && Array.isArray(only)
  return isList && only.every((one) => Object(one) === one && !Array.isArray(one)) ? only : undefined
}

function valueAt(json: unknown, path: string): unknown {
  return path.split('.').reduce((at, name) => Object(at)[name], json)
}

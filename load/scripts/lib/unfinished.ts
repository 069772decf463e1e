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
  const named = listAt(json, at === '' || at === undefined ? [] : at.split('.'))
  if (named !== undefined) return named
  if (Array.isArray(json)) return json
  const [only, ...others] = Object.values(Object(json)).filter((member) => Object(member) === member)
  const isList = others.length === 0 && Array.isArray(only)
  return isList && only.every((one) => Object(one) === one && !Array.isArray(one)) ? only : undefined
}

/** The list at names of members, of which `*` stands for all. */
function listAt(json: unknown, [name, ...names]: readonly string[]): readonly Entry[] | undefined {
  if (name === undefined) return Array.isArray(json) ? json : undefined
  if (name !== '*') return listAt(Object(json)[name], names)
  if (Object(json) !== json) return undefined
  const all = Object.values(Object(json))
  return names.length === 0 ? (all as Entry[]) : all.map((one) => valueAt(one, names.join('.')) as Entry)
}

function valueAt(json: unknown, path: string): unknown {
  return path.split('.').reduce((at, name) => Object(at)[name], json)
}

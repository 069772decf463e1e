import type { ScriptUnfinished } from './types.ts'

/** How many unfinished jobs or pods a response counts or lists; NaN if it does neither. */
export function unfinishedIn(json: unknown, unfinished: ScriptUnfinished): number {
  if ('counts' in unfinished) return unfinished.counts.reduce((sum, path) => sum + Number(valueAt(json, path)), 0)
  const { listAt, finalStatuses } = unfinished
  const places = listAt === undefined ? Object.values(Object(json)) : [Object(json)[listAt]]
  const list = [json, ...places].find(Array.isArray)
  return list?.filter((entry) => !finalStatuses.includes(entry?.status)).length ?? Number.NaN
}

function valueAt(json: unknown, path: string): unknown {
  return path.split('.').reduce((at, name) => Object(at)[name], json)
}

import { type FileSection, pathsOf } from '../../../target/section.ts'
import type { LbPlane, LbRole } from '../../../target/types.ts'
import { addressOf, type Surroundings } from '../../../target/values.ts'

/** A load-balanced endpoint serves every path. */
const defaultLbPaths = pathsOf('lb')

/** The load-balanced endpoints of a target file. Faults are noted, not thrown. */
export function lbOf(
  { endpoints: given, allowPlainHttp = false, worker = false }: FileSection<'lb'>,
  around: Surroundings,
): LbPlane {
  const read = (role: LbRole, text: string) => addressOf(text, allowPlainHttp, ['lb', 'endpoints', role], around)
  const optional = (role: LbRole) => (given[role] === undefined ? null : read(role, given[role]))
  const endpoints = { normal: read('normal', given.normal), second: optional('second'), unknown: optional('unknown') }
  for (const [role, twin] of [
    ['second', 'normal'],
    ['unknown', 'normal'],
    ['unknown', 'second'],
  ] as const) {
    if (endpoints[role] === null || endpoints[role] === '' || endpoints[role] !== endpoints[twin]) continue
    around.fault(['lb', 'endpoints', role], `lb.endpoints.${role} is the same address as ${twin}; give another one`)
  }
  return { url: endpoints.normal, paths: defaultLbPaths, endpoints, worker }
}

/** The section of a target file that says the same. */
export function writeLb({ endpoints, worker }: LbPlane): Record<string, unknown> {
  return {
    endpoints: Object.fromEntries(Object.entries(endpoints).filter(([, address]) => address !== null)),
    ...(worker ? { worker } : {}),
  }
}

import type { ReferenceOptions } from '../../reference/options.ts'
import { serving } from '../defects/tools.ts'
import type { Latitude } from '../types.ts'
import { latitude } from './tools.ts'

const stalenessMs = 1_000

/** Reads go to copies that are not equally old, as the target file says. */
export const copies = [
  latitude('reads-go-back', 'Every second read of a pod, job or endpoint shows it as it was within the last second.', {
    about: 'everything',
    planes: ['pods', 'queue', 'management'],
    file: (target) => ({ ...target, tolerances: { ...target.tolerances, stalenessMs } }),
    change: oldReads,
  }),
] as const satisfies readonly Latitude[]

/** The copy holds what it was asked for within that time, and each pod as it was before a call that may change it. */
function oldReads(base: ReferenceOptions): ReferenceOptions {
  const held = new Map<string, { readonly atMs: number; readonly response: Response }[]>()
  let reads = 0
  return serving(async (request, { clock, fetch }) => {
    const look = async (url: string) => {
      const headers = { authorization: request.headers.get('authorization') ?? '' }
      const response = await fetch(new Request(url, { headers }))
      const key = `${url} ${headers.authorization}`
      const entries = (held.get(key) ?? []).filter(({ atMs }) => atMs > clock.now() - stalenessMs)
      held.set(key, [...entries, { atMs: clock.now(), response: response.clone() }])
      return reads++ % 2 === 0 ? response : (entries[0]?.response.clone() ?? response)
    }
    if (request.method === 'GET' && /\/v2\/pods\/[^/]+$|\/v1\/endpoints\/[^/]+$|\/status\//.test(request.url)) {
      return look(request.url)
    }
    const [pod] = /^.*\/v2\/pods\/[^/]+/.exec(request.url) ?? []
    if (request.method !== 'GET' && pod !== undefined) await look(pod)
    return fetch(request)
  })(base)
}

import type { PodOperation } from '../../harness/exchange/exchange.ts'

const operations: readonly (readonly [RegExp, PodOperation])[] = [
  [/^GET \/v2\/pods$/, 'listPods'],
  [/^POST \/v2\/pods$/, 'createPod'],
  [/^GET \/v2\/pods\/[^/]+$/, 'getPod'],
  [/^PATCH \/v2\/pods\/[^/]+$/, 'updatePod'],
  [/^DELETE \/v2\/pods\/[^/]+$/, 'deletePod'],
  [/^POST \/v2\/pods\/[^/]+\/action$/, 'triggerPodAction'],
  [/^GET \/v2\/catalog\/cpus$/, 'listCpuFlavors'],
]

/** The operation that a request to the reference asks for; null where it is none. */
export function operationOf({ method, url }: Pick<Request, 'method' | 'url'>): PodOperation | null {
  const call = `${method} ${new URL(url).pathname}`
  return operations.find(([pattern]) => pattern.test(call))?.[1] ?? null
}

import type { PodsSection, TargetFile } from './file.ts'
import type { PodStatus } from './types.ts'

/** Needs that a target claims by default, each with the value of the file that claims it. */
const defaults: Readonly<Record<string, (pods: Partial<PodsSection>, file: TargetFile) => unknown>> = {
  'pods.cpu': ({ cpu }) => cpu,
  catalog: ({ cpu }) => cpu,
  'pods.change': ({ change }) => change,
  'restricted.may': (_, { keys }) => (typeof keys.restricted === 'object' ? keys.restricted.may : undefined),
  'restricted.may-not': (_, { keys }) => (typeof keys.restricted === 'object' ? keys.restricted.mayNot : undefined),
  'management.update': (_, { management }) => management?.paths?.updateEndpoint,
  'management.delete': (_, { management }) => management?.paths?.deleteEndpoint,
  stream: (_, { queue }) => queue?.stream,
  'quota.reachable': () => undefined,
}

/** True if the file itself, not a default, claims a need that the target offers. */
export function isWritten(file: TargetFile, need: string): boolean {
  const pods: Partial<PodsSection> = typeof file.pods === 'object' ? file.pods : {}
  if (need.startsWith('pod.')) return pods.statuses?.[need.slice(4).toUpperCase() as PodStatus] !== undefined
  const part = defaults[need]
  return part === undefined || part(pods, file) !== undefined
}

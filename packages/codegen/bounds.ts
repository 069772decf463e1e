import type { Document, Schema } from './inputs.ts'

const PLACES = {
  podDiskGb: 'PodDisk',
  persistentSizeGb: 'PersistentMount.size',
  networkMounts: 'Mounts.network',
  gpuCount: 'GpuConfig.count',
  vcpuCount: 'VcpuCount',
  cpuMemoryGb: 'CpuMemory',
  utilizationPercent: 'Utilization.util',
  executionTimeoutMs: 'JobPolicy.executionTimeout',
  ttlMs: 'JobPolicy.ttl',
  runsyncWaitMs: 'RunsyncWait',
} as const

/** The constraints of one number in the document; a missing member is no constraint. */
type Bound = Readonly<Partial<Record<'minimum' | 'maximum' | 'default', unknown>>>

/** The bounds of the document, by name. Throws if a place is not there or constrains nothing. */
export function readBounds(document: Document): Readonly<Record<keyof typeof PLACES, Bound>> {
  const entries = Object.entries(PLACES).map(([name, place]) => [name, boundAt(document, place)])
  return Object.fromEntries(entries)
}

function boundAt({ components }: Document, place: string): Bound {
  const [name = '', field] = place.split('.')
  const schema = components.schemas[name]
  const found = field ? (schema?.properties as Readonly<Record<string, Schema>> | undefined)?.[field] : schema
  const bound = Object.fromEntries(
    [
      ['minimum', found?.minimum],
      ['maximum', found?.maximum ?? found?.maxItems],
      ['default', found?.['x-default']],
    ].filter(([, value]) => value !== undefined),
  )
  if (Object.keys(bound).length === 0) throw new Error(`spec/openapi.yaml has no bounds at ${place}; give it some.`)
  return bound
}

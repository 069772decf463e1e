import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'
import { loadFolder } from '../folder.ts'
import { LoadError } from '../load-error.ts'
import type { ScriptPlan } from '../scripts/lib/types.ts'

export interface EmittedLoad {
  /** Names the resources and the files of points; a DNS label. */
  readonly name: string
  readonly plan: ScriptPlan
  /** The first line of the record. */
  readonly record: string
  readonly processes: number
  readonly url: string
  readonly userAgent: string
  /** An image with k6 and plumbline. */
  readonly image: string
}

/** A larger ConfigMap is refused by the cluster. */
const MAX_CONFIG_BYTES = 1_048_576

/**
 * The files of a load for the operator of k6, by name: the scripts and the plan, the run of several processes, and the job that
 * judges their points.
 * @throws LoadError if the plan is too large for a ConfigMap.
 */
export function manifestsOf(load: EmittedLoad): Readonly<Record<string, string>> {
  const data = { ...scripts(), 'plan.json': JSON.stringify(load.plan), 'evidence.ndjson': load.record }
  const bytes = Buffer.byteLength(Object.entries(data).flat().join(''))
  if (bytes > MAX_CONFIG_BYTES) {
    throw new LoadError(`the load takes ${bytes} bytes, and a ConfigMap holds ${MAX_CONFIG_BYTES}; select fewer rules`)
  }
  const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: load.name }, data }
  const files: Readonly<Record<string, unknown>> = { 'configmap.yaml': configMap, ...filledTemplate(load) }
  const options = { lineWidth: 0, aliasDuplicateObjects: false }
  return Object.fromEntries(Object.entries(files).map(([name, file]) => [name, stringify(file, options)]))
}

/** A ConfigMap has no folders. */
function scripts(): Readonly<Record<string, string>> {
  const files = ['queue.ts', 'lib/k6.ts', 'lib/steps.ts'].map((name) => {
    const text = scriptText(name).replaceAll("from './lib/", "from './")
    return [name.replace('lib/', ''), text] as const
  })
  return Object.fromEntries(files)
}

/** The manifests of the template, with the values of this load in their texts. A text that is one name becomes its value. */
function filledTemplate(load: EmittedLoad): Record<string, unknown> {
  const values: Readonly<Record<string, unknown>> = { ...load }
  const valueNamed = (name: string) => {
    if (!(name in values)) throw new Error(`k8s.yaml names ${name}, which a load does not have`)
    return values[name]
  }
  const filled = (_: unknown, value: unknown) => {
    if (typeof value !== 'string') return value
    const [, whole] = /^\$\{(\w+)\}$/.exec(value) ?? []
    return whole === undefined
      ? value.replace(/\$\{(\w+)\}/g, (_, name) => String(valueNamed(name)))
      : valueNamed(whole)
  }
  return parse(scriptText('k8s.yaml'), filled)
}

function scriptText(name: string): string {
  return readFileSync(join(loadFolder, 'scripts', name), 'utf8')
}

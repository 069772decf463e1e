import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
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

/** Names of the secret with the key and of the claim of the volume, which the user creates. */
const SECRET = { name: 'plumbline', key: 'token' } as const
const CLAIM = 'plumbline'
/** A larger ConfigMap is refused by the cluster. */
const MAX_CONFIG_BYTES = 1_048_576

const volume = '/points'
const unprivileged = { runAsNonRoot: true, runAsUser: 1000, runAsGroup: 1000, fsGroup: 1000 }
const locked = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } }
const volumes = [{ name: 'points', persistentVolumeClaim: { claimName: CLAIM } }]
const volumeMounts = [{ name: 'points', mountPath: volume }]

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
  return {
    'configmap.yaml': stringify(configMap, { lineWidth: 0 }),
    'testrun.yaml': stringify(testRunOf(load), { lineWidth: 0 }),
    'job.yaml': stringify(jobOf(load), { lineWidth: 0 }),
  }
}

/** A ConfigMap has no folders. */
function scripts(): Readonly<Record<string, string>> {
  const files = ['queue.ts', 'lib/k6.ts', 'lib/steps.ts'].map((name) => {
    const text = readFileSync(join(loadFolder, 'scripts', name), 'utf8').replaceAll("from './lib/", "from './")
    return [name.replace('lib/', ''), text] as const
  })
  return Object.fromEntries(files)
}

function testRunOf({ name, processes, url, userAgent, image }: EmittedLoad): object {
  const env = [
    { name: 'PLUMBLINE_PLAN', value: '/test/plan.json' },
    { name: 'PLUMBLINE_URL', value: url },
    { name: 'PLUMBLINE_TOKEN', valueFrom: { secretKeyRef: SECRET } },
    { name: 'JOB_NAME', valueFrom: { fieldRef: { fieldPath: "metadata.labels['job-name']" } } },
    { name: 'K6_OUT', value: `json=${volume}/points-$(JOB_NAME).json.gz` },
    { name: 'K6_USER_AGENT', value: userAgent },
    { name: 'K6_NO_USAGE_REPORT', value: 'true' },
    { name: 'K6_AUTO_EXTENSION_RESOLUTION', value: 'false' },
  ]
  const security = { securityContext: unprivileged, containerSecurityContext: locked }
  return {
    apiVersion: 'k6.io/v1alpha1',
    kind: 'TestRun',
    metadata: { name },
    spec: {
      parallelism: processes,
      script: { configMap: { name, file: 'queue.ts' } },
      // The operator also archives the script, which has the environment only with this flag.
      arguments: '--include-system-env-vars',
      runner: { image, automountServiceAccountToken: 'false', ...security, env, volumes, volumeMounts },
    },
  }
}

function jobOf({ name, image }: EmittedLoad): object {
  const folder = `${volume}/${name}`
  const steps = [
    `mkdir -p ${folder}`,
    `cp /emitted/evidence.ndjson ${folder}/`,
    `mv ${volume}/points-${name}-*.json.gz ${folder}/`,
    `exec plumbline replay ${folder} --out ${folder}`,
  ]
  const judge = {
    name: 'judge',
    image,
    command: ['sh', '-c', steps.join(' && ')],
    securityContext: locked,
    volumeMounts: [...volumeMounts, { name: 'emitted', mountPath: '/emitted', readOnly: true }],
  }
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: `${name}-judge` },
    spec: {
      backoffLimit: 0,
      template: {
        spec: {
          restartPolicy: 'Never',
          automountServiceAccountToken: false,
          securityContext: unprivileged,
          containers: [judge],
          volumes: [...volumes, { name: 'emitted', configMap: { name } }],
        },
      },
    },
  }
}

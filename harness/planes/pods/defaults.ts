import { pathsOf } from '../../../target/section.ts'
import type { PodSection } from '../../../target/types.ts'

/** The paths of the document; the description shows the action call alone, the others of the pod API are inferred. */
export const defaultPaths = pathsOf('pods')

/** Defaults of the pod plane. */
export const defaultPlane: Omit<PodSection, 'url' | 'paths'> = {
  listAt: 'pods',
  flavorsAt: 'cpus',
  // Small, public, and a process that runs until it is stopped: a pod of it stays RUNNING.
  image: 'nginx:1.29-alpine',
  extra: {},
  // GPU types have no listing in the description, so none can be guessed.
  gpu: null,
  // CPU flavors are listed: the first one needs no line in the file.
  cpu: 'catalog',
  catalog: true,
  persistent: null,
  volume: null,
  volumeSecond: null,
  volumeElsewhere: null,
  volumePath: '/workspace',
  fromTemplate: null,
  registry: null,
  networked: null,
  locked: null,
  recipes: {},
  // The description does not say which fields PATCH takes beside mounts; a name is the safest.
  change: 'name',
  capacity: capacityTexts(),
}

function capacityTexts(): string {
  const want = '(no|not enough|insufficient|out of|lack of|exhausted|unavailable)'
  const thing = '(capacity|instances?|machines?|hosts?|resources?|stock|gpus?|cpus?)'
  return `${want}\\b.{0,40}\\b${thing}|${thing}\\b.{0,40}\\b(unavailable|not available|exhausted|insufficient)`
}

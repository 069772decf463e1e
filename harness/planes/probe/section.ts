import { resolveText } from '../../../target/secrets.ts'
import type { FileSection } from '../../../target/section.ts'
import type { ProbePlane } from '../../../target/types.ts'
import { addressOf, type Surroundings, take } from '../../../target/values.ts'

/** The paths of the probe. */
export const probePaths = {
  reportProbe: '/plumbline/probe',
  readProbeFile: '/plumbline/file',
  writeProbeFile: '/plumbline/file',
  removeProbeFile: '/plumbline/file',
  callFromProbe: '/plumbline/call',
} as const

/** The probe of a target file. Faults are noted, not thrown. */
export function probeOf({ image, port, url }: FileSection<'probe'>, around: Surroundings): ProbePlane {
  return { url: null, paths: probePaths, image, port, address: url === undefined ? null : templateOf(url, around) }
}

/** The template of an address, without a slash at its end. No key is sent to it, so plain http reveals nothing. */
function templateOf(text: string, around: Surroundings): string {
  const path = ['probe', 'url']
  const template = take(resolveText(text, around.environment), path, around.fault) ?? ''
  if (template === '') return ''
  if (!template.includes('{id}')) {
    around.fault(path, 'probe.url has no {id}; add it where the address has the id of the pod')
  }
  addressOf(filledIn(template, 'pod', '80'), true, path, around)
  return template.replace(/\/+$/, '')
}

/** The address of a port of a pod. */
export function filledIn(template: string, id: string, port: string): string {
  return template.replaceAll('{id}', id).replaceAll('{port}', port)
}

/** The section of a target file that says the same. */
export function writeProbe({ image, port, address }: ProbePlane): Record<string, unknown> {
  return { image, port, ...(address === null ? {} : { url: address }) }
}

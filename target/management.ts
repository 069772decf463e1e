import { defaultManagement, defaultManagementPaths } from './defaults.ts'
import type { ManagementSection } from './file.ts'
import type { ManagementPlane } from './types.ts'
import { addressOf, filled, type Surroundings, unlike } from './values.ts'

/** Endpoint management of a target file with every default filled in. Faults are noted, not thrown. */
export function managementOf(section: ManagementSection, around: Surroundings): ManagementPlane {
  const { url, allowPlainHttp = false, paths, ...rest } = section
  const { gpus = [], gpuUnavailable } = section
  if (gpuUnavailable !== undefined && gpus.includes(gpuUnavailable)) {
    around.fault(
      ['management', 'gpuUnavailable'],
      'management.gpuUnavailable is also one of management.gpus; give a GPU type that is not available',
    )
  }
  return {
    ...defaultManagement,
    ...rest,
    url: addressOf(url, allowPlainHttp, ['management', 'url'], around),
    paths: { ...defaultManagementPaths, ...paths },
  }
}

/** The section as a target file has it, without what is a default. */
export function writeManagement({ url, paths, template, ...rest }: ManagementPlane): Readonly<Record<string, unknown>> {
  return {
    url,
    ...filled('paths', unlike(paths, defaultManagementPaths)),
    template,
    ...unlike(rest, defaultManagement),
  }
}

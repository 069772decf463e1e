import { operationsOf } from '../../../generated/operations.ts'
import { type FileSection, readSection, writeSection } from '../../../target/section.ts'
import type { ManagementPlane } from '../../../target/types.ts'
import type { Surroundings } from '../../../target/values.ts'

/** Defaults of endpoint management. */
const defaultManagement: Omit<ManagementPlane, 'url' | 'paths' | 'template'> = {
  listAt: '',
  endpointAt: '',
  extra: {},
  gpus: [],
  gpuUnavailable: null,
  worker: false,
  // The rule that needs most needs two; a third lets others run beside it.
  workers: 3,
  idleUnit: 's',
  // 5s: few platforms have a longer minimum, and rules wait for it.
  idleTimeout: 5,
  workersMax: 1_000,
  standardQuota: false,
  exclusive: false,
}

const operations = operationsOf('management')

/** Endpoint management of a target file with every default filled in. Faults are noted, not thrown. */
export function managementOf(section: FileSection<'management'>, around: Surroundings): ManagementPlane {
  const { gpus = [], gpuUnavailable } = section
  if (gpuUnavailable !== undefined && gpus.includes(gpuUnavailable)) {
    around.fault(
      ['management', 'gpuUnavailable'],
      'management.gpuUnavailable is also one of management.gpus; give a GPU type that is not available',
    )
  }
  return { ...defaultManagement, ...readSection<ManagementPlane>('management', operations, section, around) }
}

/** The section as a target file has it, without what is a default. */
export function writeManagement(section: ManagementPlane): Record<string, unknown> {
  return writeSection(operations, section, defaultManagement)
}

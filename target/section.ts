import type { OperationFacts } from '../generated/operations.ts'
import type { PlaneSection } from './types.ts'
import { addressOf, type Surroundings } from './values.ts'

interface GivenSection {
  readonly url: string
  readonly allowPlainHttp?: boolean
  readonly paths?: Readonly<Record<string, string>>
}

/** Reads a section of a plane: its address, paths that default to those of the document, and the rest as it is given. */
export function readSection<Section extends PlaneSection>(
  name: string,
  operations: Readonly<Record<string, OperationFacts>>,
  section: unknown,
  around: Surroundings,
): Section {
  const { url, allowPlainHttp = false, paths, ...rest } = section as GivenSection
  const defaults = Object.fromEntries(Object.entries(operations).map(([operation, { path }]) => [operation, path]))
  const address = addressOf(url, allowPlainHttp, [name, 'url'], around)
  return { ...rest, url: address, paths: { ...defaults, ...paths } } as unknown as Section
}

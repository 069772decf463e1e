import { type OperationFacts, type OperationOf, operationsOf, type PlaneName } from '../generated/operations.ts'
import type { TargetFile } from '../generated/target-file.ts'
import type { PlaneSection } from './types.ts'
import { addressOf, filled, type Surroundings, unlike } from './values.ts'

/** A section of a target file as its author wrote it; the pod plane may be an address alone. */
export type FileSection<Name extends keyof TargetFile> = Exclude<TargetFile[Name], string | undefined>

type Operations = Readonly<Record<string, OperationFacts>>

interface GivenSection {
  readonly url: string
  readonly allowPlainHttp?: boolean
  readonly paths?: Readonly<Record<string, string>>
}

/** The paths of a plane's operations, as the document has them. */
export function pathsOf<Plane extends PlaneName>(plane: Plane): { readonly [O in OperationOf<Plane>]: string } {
  const paths = Object.entries<{ path: string }>(operationsOf(plane)).map(([name, { path }]) => [name, path])
  return Object.fromEntries(paths)
}

/** Reads a section of a plane: its address, paths that default to those of the document, and the rest as it is given. */
export function readSection<Section extends PlaneSection>(
  name: string,
  operations: Operations,
  section: unknown,
  around: Surroundings,
): Section {
  const { url, allowPlainHttp = false, paths, ...rest } = section as GivenSection
  const address = addressOf(url, allowPlainHttp, [name, 'url'], around)
  return { ...rest, url: address, paths: { ...defaultsOf(operations), ...paths } } as unknown as Section
}

/** Writes a section so that `readSection` reads the same; members that are a default are left out. */
export function writeSection(
  operations: Operations,
  { url, paths, ...rest }: PlaneSection,
  defaults: object = {},
): Record<string, unknown> {
  const address = url === null ? {} : { url }
  return { ...address, ...filled('paths', unlike(paths, defaultsOf(operations))), ...unlike(rest, defaults) }
}

function defaultsOf(operations: Operations): Record<string, string> {
  return Object.fromEntries(Object.entries(operations).map(([operation, { path }]) => [operation, path]))
}

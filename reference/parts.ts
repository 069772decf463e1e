import { commonParts } from './common-parts.ts'
import { endpointParts } from './endpoints/parts.ts'
import { balancedParts } from './load-balanced/parts.ts'
import { podParts } from './pods/parts.ts'
import { queueParts } from './queue/parts.ts'
import type { Parts } from './service.ts'

const originals: Parts = { ...commonParts, ...podParts, ...queueParts, ...endpointParts, ...balancedParts }

export type PartName = keyof Parts

/** For a part, a function from what it was to what it shall be. */
export type PartWrappers = { readonly [K in PartName]?: (original: Parts[K]) => Parts[K] }

/** The parts of one reference; later wrappers go around earlier ones. */
export function buildParts(wrappers: readonly PartWrappers[]): Readonly<Parts> {
  const parts = { ...originals }
  for (const changes of wrappers) {
    for (const name of Object.keys(changes) as PartName[]) wrapPart(parts, name, changes)
  }
  return parts
}

function wrapPart<K extends PartName>(
  parts: { -readonly [P in PartName]: Parts[P] },
  name: K,
  changes: PartWrappers,
): void {
  const wrapper = changes[name]
  if (wrapper !== undefined) parts[name] = wrapper(parts[name])
}

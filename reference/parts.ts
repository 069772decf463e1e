import { authenticate } from './auth/authenticate.ts'
import { authorize } from './auth/authorize.ts'
import { problem } from './http/problem.ts'
import { readBody } from './http/read-body.ts'
import { validate } from './http/validate.ts'
import { rateHeaders, rateRefusal } from './limits/rate-headers.ts'
import { permit, transition } from './pods/act.ts'
import { buildPod } from './pods/create.ts'
import { findPod, listPods } from './pods/find.ts'
import { enter } from './pods/lifecycle.ts'
import { patchMounts } from './pods/mounts.ts'
import { patchPod } from './pods/patch.ts'
import { presentPod } from './pods/present.ts'
import { presentRuntime } from './pods/present-runtime.ts'
import { queueParts } from './queue/parts.ts'

const originals = {
  authenticate,
  authorize,
  buildPod,
  enter,
  findPod,
  listPods,
  patchMounts,
  patchPod,
  permit,
  presentPod,
  presentRuntime,
  problem,
  rateHeaders,
  rateRefusal,
  readBody,
  transition,
  validate,
  ...queueParts,
}

/** The functions of a reference that can be replaced one by one; all take the service as their last argument. */
export type Parts = typeof originals

export type PartName = keyof Parts

/** For a part, a function from what it was to what it shall be. */
export type PartWrappers = { readonly [K in PartName]?: (original: Parts[K]) => Parts[K] }

export const partNames: readonly string[] = Object.keys(originals)

/** The parts of one reference; later wrappers go around earlier ones. */
export function buildParts(wrappers: readonly PartWrappers[]): Readonly<Parts> {
  const parts = { ...originals }
  for (const changes of wrappers) {
    for (const name of Object.keys(changes) as PartName[]) wrapPart(parts, name, changes)
  }
  return parts
}

function wrapPart<K extends PartName>(parts: Parts, name: K, changes: PartWrappers): void {
  const wrapper = changes[name]
  if (wrapper !== undefined) parts[name] = wrapper(parts[name])
}

import { rateHeaders, rateRefusal } from '../limits/rate-headers.ts'
import { permit, transition } from './act.ts'
import { buildPod, createPod } from './create.ts'
import { findPod, listPods } from './find.ts'
import { enter } from './lifecycle.ts'
import { patchMounts } from './mounts.ts'
import { patchPod } from './patch.ts'
import { presentPod } from './present.ts'
import { presentRuntime } from './present-runtime.ts'
import type { PodParts } from './service.ts'

export const podParts: PodParts = {
  buildPod,
  createPod,
  enter,
  findPod,
  listPods,
  patchMounts,
  patchPod,
  permit,
  presentPod,
  presentRuntime,
  rateHeaders,
  rateRefusal,
  transition,
}

import type { CommonParts } from './common-parts.ts'
import type { PodParts, PodService } from './pods/service.ts'
import type { QueueParts, QueueService } from './queue/service.ts'

/** The functions of a reference that can be replaced one by one. */
export type Parts = CommonParts & PodParts & QueueParts

/** One reference at work: each plane sees its own side of it. */
export type Service = PodService & QueueService & { readonly parts: Parts }

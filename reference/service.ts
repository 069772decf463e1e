import type { CommonParts } from './common-parts.ts'
import type { EndpointParts, EndpointService } from './endpoints/service.ts'
import type { BalancedParts, BalancedService } from './load-balanced/service.ts'
import type { PodParts, PodService } from './pods/service.ts'
import type { QueueParts } from './queue/service.ts'

/** The functions of a reference that can be replaced one by one. */
export type Parts = CommonParts & PodParts & QueueParts & EndpointParts & BalancedParts

/** One reference at work: each plane sees its own side of it. */
export type Service = PodService & EndpointService & BalancedService & { readonly parts: Parts }

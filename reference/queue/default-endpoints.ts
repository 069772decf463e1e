import type { EndpointOffer } from './model.ts'

/** The endpoints that a reference has unless it is given others. */
export const defaultEndpoints: readonly EndpointOffer[] = [
  { id: 'normal', workersMin: 3, workersMax: 14, coldStartMs: 2000, idleTimeoutMs: 5000 },
  { id: 'dedicated', workersMin: 2, workersMax: 2, coldStartMs: 2000, idleTimeoutMs: 5000 },
  { id: 'two-workers', workersMin: 2, workersMax: 2, coldStartMs: 2000, idleTimeoutMs: 5000 },
  { id: 'second', workersMin: 1, workersMax: 1, coldStartMs: 2000, idleTimeoutMs: 5000 },
  { id: 'scale-to-zero', workersMin: 0, workersMax: 1, coldStartMs: 5000, idleTimeoutMs: 5000 },
  {
    id: 'timeout',
    workersMin: 1,
    workersMax: 2,
    coldStartMs: 2000,
    idleTimeoutMs: 5000,
    executionTimeoutMs: 15_000,
  },
]

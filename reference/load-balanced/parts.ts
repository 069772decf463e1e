import { passOn, toClient, toWorker } from './pass-on.ts'
import { findBalanced, presentBalancedError } from './pipeline.ts'
import type { BalancedParts } from './service.ts'
import { isWorkerReady, takeBalanced } from './workers.ts'

export const balancedParts: BalancedParts = {
  findBalanced,
  isWorkerReady,
  passOn,
  presentBalancedError,
  takeBalanced,
  toClient,
  toWorker,
}

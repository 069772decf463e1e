import type { JobWish, Step } from '../../../harness/planes/queue/fixtures/types.ts'
import type { JobKind } from './model.ts'

/** Ttl of a job that expires, ms. */
export const ttlMs = 12_000
/** Time limit of a job that overruns, ms. */
const limitMs = 6_000

/** The steps of the worker for a job, and its policy. */
export function wishOf(kind: JobKind, letter: string): JobWish {
  const output = { output: { letter } }
  const go: Step = { hold: 'go' }
  switch (kind) {
    case 'completes':
      return { steps: [{ emit: letter }, go, output] }
    case 'fails':
      return { steps: [go, { fail: letter }] }
    case 'fails once':
      return { steps: [go, { first: [{ fail: letter }] }, output] }
    case 'dies once':
      return { steps: [go, { first: [{ exit: 1 }] }, output] }
    case 'overruns':
      return { steps: [go, output], policy: { executionTimeout: limitMs } }
    case 'expires':
      return { steps: [go, output], policy: { ttl: ttlMs } }
  }
}

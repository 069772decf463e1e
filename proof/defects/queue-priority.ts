import type { Defect } from '../types.ts'
import { defect, part } from './tools.ts'

/** Jobs of low priority that start workers, or are left behind. */
export const queuePriority: readonly Defect[] = [
  defect('low-priority-starts-worker', 'queue.low-priority', 'alone', {
    says: 'A job of low priority starts a worker like any other.',
    observed: 'a worker',
    change: part('scalesWorkers', () => true),
  }),
  defect('low-priority-starves', 'queue.low-priority', 'both', {
    says: 'A job of low priority is never executed.',
    observed: 'IN_QUEUE',
    change: part('nextJob', (_, { waiting }) => [...waiting.all()].find((job) => job.isScaling) ?? null),
  }),
]

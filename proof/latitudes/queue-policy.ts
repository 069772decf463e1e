import { tables } from '../../generated/tables.ts'
import { Refusal } from '../../reference/index.ts'
import { part } from '../defects/tools.ts'
import type { Latitude } from '../types.ts'
import { latitude, reads, styled, verdict } from './tools.ts'

const { executionTimeoutMs, ttlMs } = tables.bounds

const low = ['just below', 'seconds', 'zero', 'negative']
const high = ['just above', 'far above']

/** Policies of jobs, and how long their results are kept. */
export const queuePolicy: readonly Latitude[] = [
  styled(
    'policy-clamped',
    'A policy outside its bounds is brought to the nearest one.',
    { policyRange: 'clamp' },
    {
      readings: {
        ...reads('queue.body.execution-timeout-outside', 'accepted', [...low, ...high]),
        ...reads('queue.body.ttl-outside', 'accepted', ['half', ...low, ...high]),
      },
    },
  ),
  latitude(
    'policy-clamped-above',
    'A policy above its bounds is brought to the nearest one; one below them is refused.',
    {
      style: { policyRange: 'clamp' },
      change: part('settlePolicy', (next, { executionTimeout, ttl }) => {
        if (Number(executionTimeout) < executionTimeoutMs.minimum || Number(ttl) < ttlMs.minimum)
          throw new Refusal(400, 'too short')
        return next()
      }),
      readings: {
        ...reads('queue.body.execution-timeout-outside', 'accepted', high),
        ...reads('queue.body.ttl-outside', 'accepted', high),
      },
    },
  ),
  latitude('ttl-covers-execution', 'A ttl below the executionTimeout of the same policy is refused.', {
    change: part('settlePolicy', (next, { executionTimeout, ttl }) => {
      if (Number(ttl) < Number(executionTimeout)) throw new Refusal(400, 'the ttl is below the executionTimeout')
      return next()
    }),
  }),
  latitude('run-results-kept-an-hour', 'Results of /run are kept for an hour.', {
    change: part('retentionOf', (next, { operation }) => (operation === 'run' ? 2 : 1) * next()),
    verdicts: verdict('advice', ['queue.retention.died-ends', 'queue.retention.run-ends']),
  }),
]

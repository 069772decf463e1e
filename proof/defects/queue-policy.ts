import { tables } from '../../generated/tables.ts'
import type { Policy } from '../../reference/queue/model.ts'
import type { Defect } from '../types.ts'
import { all, type Change, defect, options, part, refusing } from './tools.ts'

const { executionTimeoutMs, ttlMs } = tables.bounds

/** Bounds of the policy that are refused, not carried out, or not brought to the nearest one. */
export const queuePolicy: readonly Defect[] = [
  defect('least-execution-timeout-refused', 'queue.body.execution-timeout-bounds', 'least', {
    says: 'An executionTimeout of 5 seconds is refused.',
    observed: 'status 400: {"error":"too short"}',
    change: refusing('settlePolicy', (policy) => policy.executionTimeout === 5_000 && [400, 'too short']),
  }),
  defect('greatest-execution-timeout-refused', 'queue.body.execution-timeout-bounds', 'greatest', {
    says: 'An executionTimeout of 7 days is refused.',
    observed: 'status 400: {"error":"too long"}',
    change: refusing('settlePolicy', (policy) => policy.executionTimeout === 604_800_000 && [400, 'too long']),
  }),
  defect('least-execution-timeout-as-seconds', 'queue.body.execution-timeout-bounds', 'least-not-early', {
    says: 'An executionTimeout is cut to a tenth.',
    observed: 'FAILED',
    change: part('executionTimeoutOf', (next) => Math.round(next() / 10)),
  }),
  defect('least-execution-timeout-is-a-minute', 'queue.body.execution-timeout-bounds', 'least-stops', {
    says: 'No job is stopped within its first minute.',
    observed: 'status IN_PROGRESS',
    change: part('executionTimeoutOf', (next) => Math.max(60_000, next())),
  }),
  defect('low-execution-timeout-500', 'queue.body.execution-timeout-outside', 'answer', {
    says: 'An executionTimeout of 0 is answered 500.',
    observed: 'status 500',
    change: refusing('validate', (_, body) => policyIn(body).executionTimeout === 0 && [500, 'division by zero']),
  }),
  defect('low-execution-timeout-as-it-is', 'queue.body.execution-timeout-outside', 'low-not-early', {
    says: 'An executionTimeout below its bounds is carried out as it is.',
    observed: 'FAILED',
    change: clamping((policy, sent) => ({ ...policy, ...sent })),
  }),
  defect('low-execution-timeout-ignored', 'queue.body.execution-timeout-outside', 'low-stops', {
    says: 'A job whose executionTimeout is below its bounds is never stopped.',
    observed: 'status IN_PROGRESS',
    change: clamping((policy, { executionTimeout = ttlMs.minimum }) =>
      executionTimeout < executionTimeoutMs.minimum ? { ...policy, executionTimeout: ttlMs.maximum } : policy,
    ),
  }),
  defect('high-execution-timeout-is-least', 'queue.body.execution-timeout-outside', 'high-runs', {
    says: 'An executionTimeout above its bounds is brought to the least one.',
    observed: 'FAILED',
    change: clamping((policy, { executionTimeout = 0 }) =>
      executionTimeout > executionTimeoutMs.maximum
        ? { ...policy, executionTimeout: executionTimeoutMs.minimum }
        : policy,
    ),
  }),
  defect('least-ttl-refused', 'queue.body.ttl-bounds', 'least', {
    says: 'A ttl of 10 seconds is refused.',
    observed: 'status 400: {"error":"too short"}',
    change: refusing('settlePolicy', ({ ttl }) => ttl === 10_000 && [400, 'too short']),
  }),
  defect('greatest-ttl-refused', 'queue.body.ttl-bounds', 'greatest', {
    says: 'A ttl of 7 days is refused.',
    observed: 'status 400: {"error":"too long"}',
    change: refusing('settlePolicy', ({ ttl }) => ttl === 604_800_000 && [400, 'too long']),
  }),
  defect('least-ttl-refused-by-runsync', 'queue.body.ttl-bounds', 'least', {
    says: 'A ttl of 10 seconds is refused by /runsync.',
    observed: 'status 400: {"error":"too short"}',
    change: refusing(
      'addJob',
      ({ policy }, operation) => operation === 'runsync' && policy.ttl === 10_000 && [400, 'too short'],
    ),
  }),
  defect('greatest-ttl-500-by-runsync', 'queue.body.ttl-bounds', 'greatest', {
    says: 'A ttl of 7 days is answered 500 by /runsync.',
    observed: 'status 500: {"error":"overflow"}',
    change: refusing(
      'addJob',
      ({ policy }, operation) => operation === 'runsync' && policy.ttl === 604_800_000 && [500, 'overflow'],
    ),
  }),
  defect('high-ttl-500', 'queue.body.ttl-outside', 'answer', {
    says: 'A ttl above its bounds is answered 500.',
    observed: 'status 500',
    change: refusing('validate', (_, body) => Number(policyIn(body).ttl) > ttlMs.maximum && [500, 'overflow']),
  }),
  defect('low-ttl-as-it-is', 'queue.body.ttl-outside', 'low-not-early', {
    says: 'A ttl below its bounds is carried out as it is.',
    observed: 'status 404',
    change: clamping((policy, sent) => ({ ...policy, ...sent })),
  }),
  defect('half-ttl-as-it-is', 'queue.body.ttl-outside', 'low-not-early', {
    says: 'A ttl between a second and its lower bound is carried out as it is.',
    observed: 'status 404',
    change: clamping((policy, { ttl = 0 }) => (ttl >= 1_000 ? { ...policy, ttl } : policy)),
  }),
  defect('low-ttl-ignored', 'queue.body.ttl-outside', 'low-gone', {
    says: 'A job whose ttl is below its bounds lives for a day.',
    observed: 'status 200',
    change: clamping((policy, { ttl = ttlMs.maximum }) =>
      ttl < ttlMs.minimum ? { ...policy, ttl: ttlMs.default } : policy,
    ),
  }),
  defect('high-ttl-is-least', 'queue.body.ttl-outside', 'high-lives', {
    says: 'A ttl above its bounds is brought to the least one.',
    observed: 'status 404',
    change: clamping((policy, { ttl = 0 }) => (ttl > ttlMs.maximum ? { ...policy, ttl: ttlMs.minimum } : policy)),
  }),
]

/** A policy outside its bounds is brought to the nearest ones; `change` gets that and the policy as it was sent. */
function clamping(change: (policy: Policy, sent: Policy) => Policy): Change {
  return all(
    options({ style: { policyRange: 'clamp' } }),
    part('settlePolicy', (next, policy) => change(next(), policy)),
  )
}

function policyIn(body: unknown): Policy {
  return Object(Object(body).policy)
}

import type { RuleId } from '../../generated/rules.ts'

const pods = {
  // Entries of a list may omit members, as may responses to a creation or PATCH.
  'a pod in a response to getPod or an action': ['required'],
  'a pod with gpu or cpu': ['gpu-xor-cpu'],
  'a pod': [
    'types',
    'disk',
    'cloud',
    'global-networking',
    'times',
    'times-order',
    'id-matches',
    'actions-match-status',
  ],
  'a pod with ports': ['ports'],
  'a pod with environment variables': ['env'],
  'a pod with a mount': ['mounts'],
  'a GPU pod': ['gpu'],
  'a CPU pod': ['cpu', 'cpu-no-persistent'],
  'a pod with a persistent mount': ['persistent'],
  'a pod with a network mount': ['network'],
  'two pods with the same network volume': ['network-datacenter'],
  'a pod with values in its runtime': ['runtime', 'runtime-ports'],
  'a RUNNING pod': ['datacenter', 'cost-running'],
  'a pod that is not RUNNING': ['runtime-null'],
  'an EXITED or TERMINATED pod': ['cost-zero'],
} as const

/** Exchanges that exercise invariants, as in `no response showed …`. */
const needs: Readonly<Record<string, readonly RuleId[]>> = {
  ...Object.fromEntries(
    Object.entries(pods).map(([shown, rules]) => [shown, rules.map((rule) => `pods.shape.${rule}` as const)]),
  ),
  'a pod with a status': ['pods.lifecycle.statuses'],
  'a new pod with a status': ['pods.lifecycle.order'],
  'a list with a pod': ['pods.list.full-shape', 'pods.list.distinct'],
  'an action answered 200 or 204': ['pods.action.content-type'],
  'a success with a body': ['pods.json', 'endpoints.json', 'queue.json'],
  'a job that was COMPLETED in an earlier response': ['queue.status.order'],
  'a response of /health with statistics': ['queue.health.numbers'],
  'a 401': ['auth.challenge'],
  'a response to a request with a key': ['auth.token-not-echoed'],
  'an error': ['errors.problem.shape', 'errors.problem.media-type', 'errors.no-leak'],
  'an error with status in its body': ['errors.problem.status'],
  'a response to a request that must be refused': ['errors.no-5xx'],
  'a request after one with a body that was refused': ['errors.connection-in-step'],
  'a success': ['limits.pods.headers-on-success'],
  'RateLimit or RateLimit-Policy': [
    'limits.pods.headers-syntax',
    'limits.pods.windows',
    'limits.pods.structured',
    'limits.pods.window-length',
    'limits.pods.bounds',
  ],
  'the same window of RateLimit twice': ['limits.pods.counts-down', 'limits.pods.resets', 'limits.pods.no-early-429'],
}

const shownBy = new Map(Object.entries(needs).flatMap(([shown, ids]) => ids.map((id) => [id, shown] as const)))

/** An exchange that exercises an invariant, such as `a RUNNING pod`. */
export function neededBy(id: RuleId): string {
  return shownBy.get(id) ?? 'anything that it is about'
}

/** True for a rule that judges every exchange. It needs no capability. */
export function isInvariant(id: RuleId): boolean {
  return shownBy.has(id)
}

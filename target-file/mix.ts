import type { Mix, Target } from '../target/types.ts'
import type { Surroundings } from '../target/values.ts'

/** The operation that gives each of these its job or pod. */
const sources = { status: 'run', cancel: 'run', stream: 'cancel', getPod: 'createPod' } as const satisfies Partial<
  Record<keyof Mix, keyof Mix>
>

/** Operations that end or follow an end, so that each needs a job of its own. */
const once: ReadonlySet<string> = new Set(['cancel', 'stream'])

/** Notes a fault for each operation of `load.mixed` that the target does not offer, or that has no job or pod. */
export function checkMix(
  target: Pick<Target, 'load' | 'pods' | 'queue'>,
  { fault }: Pick<Surroundings, 'fault'>,
): void {
  const mix = target.load?.mixed ?? {}
  for (const operation of Object.keys(mix) as (keyof Mix)[]) {
    const lack = lackOf(operation, mix, target)
    const path = ['load', 'mixed', operation]
    if (lack !== null) fault(path, `${path.join('.')}: ${lack}`)
  }
}

function lackOf(operation: keyof Mix, mix: Mix, { pods, queue }: Pick<Target, 'pods' | 'queue'>): string | null {
  if (operation.endsWith('Pod') || operation.endsWith('Pods')) {
    if (pods === null) return 'the file has no pod API; add pods: https://HOST, or remove this key'
  } else if (queue === null) return 'the file has no queue-based endpoints; add queue, or remove this key'
  if (operation === 'requests' && queue?.requests === false)
    return 'the route /requests is not offered; add queue: {requests: true}, or remove this key'
  if (operation === 'stream' && queue?.stream === null)
    return 'partial results are not offered; remove queue.stream: false, or this key'
  const source = sources[operation as keyof typeof sources]
  const [wanted = 0, given = 0] = source === undefined ? [] : [mix[operation], mix[source]]
  if (source === undefined || (given > 0 && !(once.has(operation) && wanted > given))) return null
  return given === 0
    ? `needs load.mixed.${source}, whose jobs or pods it is about`
    : `expected at most ${given}, the number of load.mixed.${source}, because each needs a job of its own; got ${wanted}`
}

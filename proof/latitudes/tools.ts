import { type RuleId, rules } from '../../generated/rules.ts'
import { podActions } from '../../generated/tables.ts'
import { needsOf } from '../../harness/claims/claims.ts'
import { defaultStream } from '../../harness/planes/queue/defaults.ts'
import type { Life } from '../../reference/life.ts'
import { composeOptions, type ReferenceOptions } from '../../reference/options.ts'
import type { Style } from '../../reference/style.ts'
import type { PodSection, StreamForm, Target } from '../../target/types.ts'
import type { Verdict } from '../../verdicts/verdicts.ts'
import type { Latitude } from '../types.ts'

/** The members of a latitude beside its id, its sentence and its change. */
export type More = Omit<Latitude, 'id' | 'says' | 'change'>

/** Other choices of the style of the reference. */
export function styled(id: string, says: string, style: Partial<Style>, more: More = {}): Latitude {
  return optioned(id, says, { style }, more)
}

/** Other lengths of time, milliseconds. */
export function timed(id: string, says: string, life: Partial<Life>, more: More = {}): Latitude {
  return optioned(id, says, { life }, more)
}

/** Other options of the reference, other parts of it (`change`), and the members of a latitude that say more about it. */
export function latitude(
  id: string,
  says: string,
  {
    style,
    life,
    options,
    change = (base) => base,
    ...more
  }: Omit<Latitude, 'id' | 'says'> & Pick<ReferenceOptions, 'style' | 'life'> & { options?: Partial<ReferenceOptions> },
): Latitude {
  const changed = { ...options, ...(style && { style }), ...(life && { life }) }
  return { id, says, change: (base) => change(composeOptions(base, changed)), ...more }
}

/** Other options of the reference. */
export function optioned(id: string, says: string, changed: Partial<ReferenceOptions>, more: More = {}): Latitude {
  return { id, says, change: (options) => composeOptions(options, changed), ...more }
}

/** Readings of one rule that all have the same value; null: they are not recorded. */
export function reads(rule: RuleId, value: string | null, names: readonly string[]): NonNullable<Latitude['readings']> {
  return { [rule]: Object.fromEntries(names.map((name) => [name, value])) }
}

/** Names of the readings about null in a PATCH of pods of these kinds. */
export function nullMountsOf(...kinds: readonly string[]): string[] {
  return kinds.flatMap((kind) => ['mounts', 'persistent', 'network'].map((member) => `${member} of ${kind}`))
}

/** The rules about pods in a status that a platform may pass through unseen. */
export const inProvisioning = podActions.map((action) => `pods.action.provisioning.${action}` as const)
export const inStarting = podActions.map((action) => `pods.action.starting.${action}` as const)

/** Verdicts of several rules that are all the same. */
export function verdict(is: Verdict, rules: readonly RuleId[]): NonNullable<Latitude['verdicts']> {
  return Object.fromEntries(rules.map((rule) => [rule, is]))
}

/** A target whose pods are RUNNING as soon as they are created, as its file says. */
export const startsAtOnce: More = {
  file: (target) => ({ ...target, absent: { ...target.absent, 'pod.provisioning': 'none', 'pod.starting': 'none' } }),
  verdicts: verdict('not-applicable', [...inProvisioning, ...inStarting]),
}

/** A target file that says something else of its pod plane. */
export function plane(change: Partial<PodSection>): (target: Target) => Target {
  return (target) => ({ ...target, pods: target.pods === null ? null : { ...target.pods, ...change } })
}

/** A target file that says something else of the responses of /stream. */
export function streamed(form: Partial<StreamForm>): (target: Target) => Target {
  return ({ queue, ...target }) => ({
    ...target,
    queue: queue === null ? null : { ...queue, stream: { ...defaultStream, ...form } },
  })
}

/** True for a request to a load-balanced endpoint, whose responses are the worker's. */
export function isOfLb({ url }: Pick<Request, 'url'>): boolean {
  return /\/lb\/|\/\/[\w-]+\.lb\.|:1800\d(\/|$)/.test(url)
}

/** A wrapper that leaves load-balanced endpoints alone. */
export function besidesLb(wrap: NonNullable<Latitude['wrap']>): NonNullable<Latitude['wrap']> {
  return (fetch) => {
    const wrapped = wrap(fetch)
    return (request) => (isOfLb(request) ? fetch(request) : wrapped(request))
  }
}

/** The rules that need one of these of a target. */
export function needing(...needs: readonly string[]): RuleId[] {
  return rules.filter((row) => needsOf(row).some((need) => needs.includes(need))).map(({ id }) => id)
}

/** The rules about creations that look for a pod in the list. */
export const listing: readonly RuleId[] = rules
  .filter(({ id, wait }) => id.startsWith('pods.create.') && wait === '10s')
  .map(({ id }) => id)

import type { Target } from '../../target/types.ts'
import { missing } from '../claims/claims.ts'

/**
 * The dimensions that rules may leave to the engine. The first value of each is the plain case, which rules that do not
 * name the dimension get.
 */
export const dimensions = {
  /** The hardware of a pod. */
  kind: ['gpu', 'cpu'],
  mount: ['none', 'network', 'persistent'],
  /** The history of a pod in RUNNING or EXITED before the rule gets it; some faults need two restarts, or a restart and a start. */
  history: ['fresh', 'restarted', 'stopped and started', 'restarted and started', 'patched', 'refused before'],
  /** Optional members of a creation body. */
  fields: ['few', 'many', 'networked'],
  /** How a pod becomes TERMINATED (heading Pod status: the same effect). */
  removal: ['terminate', 'delete'],
  /** The action in a body; the pod is in a status that permits it. */
  action: ['stop', 'start', 'restart', 'terminate'],
  /** The status of a pod that gets a PATCH. */
  patchedWhile: ['EXITED', 'RUNNING'],
  /** The steps between a PATCH, or a creation, and the last read of the pod. */
  afterwards: ['nothing', 'started', 'started and stopped', 'restarted'],
  /** The order in which a rule tries its cases. */
  order: ['given', 'reversed'],
  /** Another pod of the same shape that the rule never touches: younger, with the same name, or created at once. */
  sibling: ['none', 'younger', 'namesake', 'at once'],
  /** The endpoint of a job. A rule that names this shares `second`. */
  endpoint: ['normal', 'second'],
  /** How a job is submitted, for rules that need no id before it ends. */
  submission: ['run', 'runsync'],
  /** Members of a job's input, besides its steps. */
  input: ['plain', 'empty values', 'nested', 'large', 'unicode', 'brackets', 'reserved names'],
  /** The output of a job; `outputs` has the value. */
  output: [
    'object',
    'number',
    'fraction',
    'empty object',
    'false',
    'zero',
    'empty text',
    'JSON in a text',
    'empty list',
    'null members',
    'nested',
    'large',
    'unicode',
  ],
  /** Optional members of a submission. Rules about the defaults set a policy of their own. */
  options: ['none', 'empty policy', 'generous policy', 's3Config', 'webhook'],
  /** The history of the endpoint just before the job. */
  execution: ['first', 'later', 'after a failure', 'after a refusal', 'after a cancellation'],
  /** The history of a job itself. */
  past: ['new', 'retried'],
  /** Another job that is submitted at about the same time. */
  neighbour: ['none', 'before', 'after', 'at once'],
  /** The history of an endpoint that the rule creates. */
  upkeep: ['new', 'updated'],
  /** The one member of a class that a rule tries, such as one of many wrong values; the rule lists the members. */
  sample: ['first'],
  /** In a sparing run, the one branch that a rule runs, such as a mount state; the rule lists them. */
  branch: ['first'],
  /** The same of its cases, if they are many. */
  part: ['first'],
  /** Where a rule looks for what became of a pod. */
  seenIn: ['reads', 'the list too'],
  /** When a rule reads again on a real clock: seconds later. */
  look: ['1', '3', '10'],
} as const satisfies Readonly<Record<string, readonly [string, ...string[]]>>

/** A rule as variation sees it. */
export interface Varying {
  readonly id: string
  /** Dimensions that its sentence leaves open. */
  readonly varies?: readonly Dimension[]
}

export type Dimension = keyof typeof dimensions

export type ValueOf<D extends Dimension> = (typeof dimensions)[D][number]

/** One value for each of some dimensions; of `sample`, `branch` and `part` the name of what the rule lists. */
export type Values = { readonly [D in Dimension]?: D extends 'sample' | 'branch' | 'part' ? string : ValueOf<D> }

/** The dimensions of a pod in any status. */
export const aPod = ['kind', 'mount', 'fields', 'look', 'seenIn'] as const satisfies readonly Dimension[]

/** The dimensions of a pod in RUNNING or EXITED, which may have a history. */
export const anyPod = [...aPod, 'history', 'sibling'] as const satisfies readonly Dimension[]

/** The dimensions of a job about which a rule demands nothing. */
export const anyJob = ['input', 'options', 'execution', 'neighbour'] as const satisfies readonly Dimension[]

const needs: Readonly<Partial<Record<string, string>>> = {
  'kind gpu': 'pods.gpu',
  'kind cpu': 'pods.cpu',
  'mount network': 'volume',
  'mount persistent': 'pods.persistent',
  'history patched': 'pods.change',
  'endpoint second': 'endpoint.second',
  'past retried': 'receiver',
  'options webhook': 'receiver',
  'input large': 'queue.large',
  'output large': 'queue.large',
  'upkeep updated': 'management.update',
}

/** The values of a dimension that a target offers; at least the plain one. */
export function offered<D extends Dimension>(dimension: D, target: Target): readonly ValueOf<D>[] {
  const values: readonly ValueOf<D>[] = dimensions[dimension]
  const given = values.filter((value) => {
    const need = needs[`${dimension} ${value}`]
    return need === undefined || missing(target, need) === null
  })
  return given.length > 0 ? given : values.slice(0, 1)
}

import fc from 'fast-check'
import { type PodAction, podActions } from '../../generated/tables.ts'
import { letterOf } from './after.ts'
import type { StepKinds } from './commands.ts'
import { forbidden, isAlive, isAtRest, isLocked, type PodModel, permissionOf, type WalkModel } from './model.ts'

/**
 * One call of a walk, or a wait. `pod`: the place of its pod among those of the walk, counted around. `isHasty`: the next step
 * does not wait until the pod has come to rest.
 */
export type Step =
  | { readonly does: 'create'; readonly shape: number; readonly isHasty: boolean }
  | { readonly does: 'act'; readonly pod: number; readonly action: PodAction; readonly isHasty: boolean }
  | { readonly does: 'delete'; readonly pod: number }
  | { readonly does: 'patch'; readonly pod: number; readonly field: 'mounts' | 'change' }
  | { readonly does: 'lock'; readonly pod: number; readonly locked: boolean }
  | { readonly does: 'refused'; readonly pod: number; readonly operation: RefusedOperation; readonly at: number }
  | { readonly does: 'stranger'; readonly pod: number; readonly call: (typeof strangerCalls)[number] }
  | { readonly does: 'wait'; readonly seconds: number }
  | { readonly does: 'list' }

/** The steps that have a member. */
export type StepOf<Name extends string> = Extract<Step, { readonly [N in Name]: unknown }>

type RefusedOperation = 'action' | 'body' | 'patch'

const strangerCalls = ['get', 'patch', 'stop', 'start', 'restart', 'delete'] as const

/** The things that a walk may do on a target. */
interface World {
  /** How many pods it may have made. */
  readonly maxPods: number
  /** False if no field but mounts can be changed. */
  readonly canChange: boolean
  readonly hasStranger: boolean
}

/** Largest number of things to choose from, such as bodies that must be refused. */
const choices = 10_000
/** Longest wait between two steps, s. */
const maxSeconds = 5

/** Most steps are about the first pod: what shows a bug is a long history. */
const pod = fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(7) })

/** One in so many steps is hasty. */
const isHasty = fc.nat(5).map((n) => n === 5)

/** Any step, those that move a pod more often than others. */
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 16,
    arbitrary: fc.record({
      does: fc.constant('act' as const),
      pod,
      action: fc.constantFrom(...podActions.filter((action) => action !== 'terminate')),
      isHasty,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ does: fc.constant('patch' as const), pod, field: fc.constantFrom('change', 'mounts') }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant('refused' as const),
      pod,
      operation: fc.constantFrom('action', 'body', 'patch'),
      at: fc.nat(choices),
    }),
  },
  { weight: 4, arbitrary: fc.record({ does: fc.constant('lock' as const), pod, locked: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant('stranger' as const), pod, call: fc.constantFrom(...strangerCalls) }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('create' as const), shape: fc.nat(choices), isHasty }) },
  {
    weight: 1,
    arbitrary: fc.oneof(
      fc.record({ does: fc.constant('delete' as const), pod }),
      fc.record({
        does: fc.constant('act' as const),
        pod,
        action: fc.constant('terminate' as const),
        isHasty: fc.constant(false),
      }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant('wait' as const), seconds: fc.integer({ min: 1, max: maxSeconds }) }),
  },
  { weight: 1, arbitrary: fc.constant({ does: 'list' as const }) },
)

/** The pod that a step is about. */
export function placeOf(step: { readonly pod: number }, { pods }: Pick<WalkModel, 'pods'>): number {
  return step.pod % pods.length
}

/** The steps of a walk on pods, and those of them that make sense in a state. */
export function podSteps(world: World): StepKinds<Step, WalkModel> {
  return { anyStep, isPossible: (step, model) => isPossible(step, model, world) }
}

function isPossible(step: Step, model: Readonly<WalkModel>, world: World): boolean {
  const { pods } = model
  const alive = pods.filter(isAlive)
  switch (step.does) {
    case 'create':
      return pods.length < world.maxPods
    case 'wait':
    case 'list':
      return true
  }
  const one = pods[placeOf(step, model)]
  if (one === undefined) return false
  const isReady = isAlive(one) && isAtRest(one)
  switch (step.does) {
    case 'act':
      if (step.action === 'terminate') return alive.length > 1 && isAlive(one)
      return isAlive(one) && permissionOf(one, step.action).mayBeTaken
    case 'delete':
      return alive.length > 1 && isAlive(one)
    case 'patch':
      return isReady && (step.field === 'mounts' ? isMounted(one) : world.canChange)
    case 'lock':
      return isReady && model.canLock && isLocked(one) !== step.locked
    case 'refused':
      return isAlive(one) ? step.operation !== 'action' || forbidden(one).length > 0 : step.operation === 'action'
    case 'stranger':
      return world.hasStranger && isAlive(one)
  }
}

function isMounted({ shape: { mount = 'none' } }: PodModel): boolean {
  return mount !== 'none'
}

/** A step in a few words: `A: stop`. */
export function stepText(step: Step, model: Pick<WalkModel, 'pods'>): string {
  if (step.does === 'wait') return `wait ${step.seconds} s`
  if (step.does === 'list') return 'list'
  const text =
    step.does === 'create'
      ? `create ${letterOf(model.pods.length)}`
      : `${letterOf(placeOf(step, model))}: ${callText(step)}`
  return 'isHasty' in step && step.isHasty ? `${text} without a wait` : text
}

function callText(step: StepOf<'pod'>): string {
  switch (step.does) {
    case 'act':
      return step.action
    case 'patch':
      return step.field === 'mounts' ? 'PATCH mounts' : 'PATCH'
    case 'lock':
      return step.locked ? 'lock' : 'unlock'
    case 'refused':
      return 'to be refused:'
    case 'stranger':
      return `${step.call} by another account`
    default:
      return step.does
  }
}

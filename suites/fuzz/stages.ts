import type fc from 'fast-check'
import type { PodView } from '../../harness/exchange/read.ts'
import { mountsOf, planeOf } from '../../harness/planes/pods/fixtures/pod-body.ts'
import type { PodShape } from '../../harness/planes/pods/fixtures/types.ts'
import type { Context } from '../../harness/rule/context.ts'
import { mountStates, mountsMoved } from '../shared/patching.ts'
import { actionBodies, actionNames, patchBodies } from './arbitrary.ts'
import { arbitraryCase, asIs, draw, enumerate, type FuzzCase, shrinkable } from './cases.ts'
import type { Situation } from './oracle.ts'
import { actionTrial, mayChange, patchTrial, type Trial, withoutPod } from './trial.ts'

/** A case as it was sent to a pod. */
export interface Sent {
  readonly one: FuzzCase
  /** Draws it again, with the seed. */
  readonly path: string
  readonly isAccepted: boolean
  /** When its response came, ms. */
  readonly sentMs: number
}

/** A kind of pod that one operation is tried on, with the pod that is at hand and what that was sent. */
export interface Subject {
  /** `triggerPodAction RUNNING`, `updatePod gpu network`. */
  readonly name: string
  readonly trial: Trial
  pod: PodView | null
  /** Accepted since the pod was made, before those of `sent`; the latest only. */
  accepted: readonly Sent[]
  /** Fields of the pod that may change at any time since a body was accepted. */
  aside: ReadonlySet<string>
  /** The bodies that the pod was sent and whose effects it may still show. */
  sent: Sent[]
  /** Cases since the pod was last looked at. */
  unlooked: number
  /** True if another row judges a response since the last look, which may explain a change. */
  isLeft: boolean
  /** Until then, a late read may show the effect of an accepted body that another row judges; on the clock of the target. */
  leftUntilMs: number
  /** Refused by pods that were given up before they were looked at for late effects. */
  owed: Sent[]
  /** Cases until another pod is asked for, since none could be made. */
  podlessFor: number
  /** How many pods the bodies of a mutator have cost that changed them and must not. */
  readonly spent: Map<string, number>
  /** How many changes were pinned down to cases. */
  searches: number
}

/** A subject with its cases. */
export interface Stage extends Subject {
  readonly enumerated: readonly FuzzCase[]
  readonly random: fc.Arbitrary<FuzzCase>
}

/** A subject that has no pod yet. */
export function createSubject(trial: Trial, name: string = trial.operation): Subject {
  return { name, trial, ...podless(), owed: [], podlessFor: 0, spent: new Map(), searches: 0 }
}

/** New pods that one mutator may cost on one stage, where bodies of its kind change them and must not. */
const podsEach = 3

/** Numbers of cases from here on are of bodies for a pod that does not exist. */
export const podlessFrom = 1_000_000_000

/**
 * Every stage that the target offers. The last ones have no pod: their bodies go to a pod that does not exist, and fill
 * the time until pods are made.
 */
export function stagesOf(context: Context): readonly Stage[] {
  const plane = planeOf(context.target)
  const actions = arbitraryCase(actionBodies, 'PodActionRequest')
  const patches = arbitraryCase(patchBodies(plane), 'PodUpdate')
  const stage = (trial: Trial, name: string, pod: Pick<PodView, 'status' | 'value'>, cases: readonly FuzzCase[]) => ({
    ...createSubject(trial, `${trial.operation} ${name}`),
    random: trial.operation === 'updatePod' ? patches : actions,
    enumerated: inOrder(cases, trial.situation({ id: '', exchange: 0, ...pod })),
  })
  const acting = (['RUNNING', 'EXITED'] as const).map((status) => {
    const cases = actionNames.flatMap((action) => enumerate({ action }, 'PodActionRequest'))
    return stage(actionTrial(context, status), status, { status, value: {} }, cases)
  })
  const patching = mountStates({ part: context.offers }).map((shape) => {
    const { kind = 'pod', mount = 'none' } = shape
    const cases = bodiesFor(context, shape).flatMap((mounts) => enumerate({ mounts }, 'PodUpdate'))
    // Where the volume is, only a pod that mounts it could tell: every response to a volume elsewhere is taken.
    const trial = patchTrial(context, shape, undefined)
    return stage(trial, `${kind} ${mount}`, { status: 'EXITED', value: { mounts: mountsOf(plane, mount) } }, cases)
  })
  const fillers = [...acting.slice(0, 1), ...patching.slice(0, 1)].map(({ trial, random }) => ({
    ...createSubject(withoutPod(trial), `${trial.operation} none`),
    random,
    enumerated: [],
  }))
  return [...acting, ...patching, ...fillers]
}

/** A subject without a pod. */
export function podless(): Pick<
  Subject,
  'pod' | 'accepted' | 'aside' | 'sent' | 'unlooked' | 'isLeft' | 'leftUntilMs'
> {
  return { pod: null, accepted: [], aside: new Set(), sent: [], unlooked: 0, isLeft: false, leftUntilMs: 0 }
}

/** Case number `run` of a seed: first everything that is enumerated, then random cases of each stage in turn. */
export function caseAt(stages: readonly Stage[], seed: number, run: number): { stage: Stage; one: FuzzCase } {
  let left = run
  for (const stage of stages) {
    const one = stage.enumerated[left]
    if (one !== undefined) return { stage, one }
    left -= stage.enumerated.length
  }
  const isPodless = run >= podlessFrom
  const among = stages.filter(({ trial }) => trial.isPodless === isPodless)
  const stage = among[(isPodless ? run - podlessFrom : left) % among.length]
  if (stage === undefined) throw new Error('there is nothing to try a body on')
  return { stage, one: shrinkable(draw(stage.random, seed, run), stage.random) }
}

/** Notes that a body of this mutator has cost pods of a stage. */
export function spend({ spent }: Subject, { mutator }: FuzzCase): void {
  spent.set(mutator, (spent.get(mutator) ?? 0) + 1)
}

/** True if bodies of this mutator have cost a stage enough pods. */
export function isSpent({ spent }: Subject, { mutator }: FuzzCase): boolean {
  return (spent.get(mutator) ?? 0) >= podsEach
}

/** How many cases are enumerated. */
export function enumeratedOf(stages: readonly Stage[]): number {
  return stages.reduce((sum, { enumerated }) => sum + enumerated.length, 0)
}

function bodiesFor(context: Context, { mount = 'none' }: PodShape): readonly object[] {
  const { network } = mountsMoved(context, 'network')
  const { persistent } = mountsMoved(context, 'persistent')
  if (mount === 'none') return [{}, { network }, { persistent }]
  return mount === 'network' ? [{ network }, { network, persistent }] : [{ persistent }, { network, persistent }]
}

/** Cases that a pod in this situation is to refuse first, those that change it later, plain bodies last. */
export function inOrder(cases: readonly FuzzCase[], situation: Situation): FuzzCase[] {
  const rankOf = (one: FuzzCase) => (one.mutator === asIs ? 2 : mayChange(situation, one) ? 1 : 0)
  return cases
    .map((one, place) => ({ one, place, rank: rankOf(one) }))
    .sort((a, b) => a.rank - b.rank || a.place - b.place)
    .map(({ one }) => one)
}

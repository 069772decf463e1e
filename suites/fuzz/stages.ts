import type fc from 'fast-check'
import type { Context } from '../harness/context.ts'
import { mountsOf, planeOf } from '../harness/fixtures/pods.ts'
import type { PodShape } from '../harness/fixtures/types.ts'
import type { PodView } from '../harness/read.ts'
import { mountStates, movedNetwork, movedPersistent } from '../pods/patching.ts'
import { arbitraryCase, draw, enumerate, type FuzzCase, shrinkable } from './cases.ts'
import { inOrder, type Trial } from './play.ts'
import { actionTrial, patchTrial } from './trials.ts'
import { actionBodies, actionNames, patchBodies } from './world.ts'

/** One kind of pod that one operation is tried on, with the pod that is at hand and what it was sent. */
export interface Stage {
  /** `triggerPodAction RUNNING`, `updatePod gpu network`. */
  readonly name: string
  readonly shape: PodShape
  readonly trial: Trial
  readonly enumerated: readonly FuzzCase[]
  readonly random: fc.Arbitrary<FuzzCase>
  pod: PodView | null
  /** Refused since the pod was last looked at. */
  refused: FuzzCase[]
  /** How many pods wrongly accepted bodies of a mutator have cost. */
  readonly spent: Map<string, number>
}

/** Every stage that the target offers. */
export function stagesOf(context: Context): readonly Stage[] {
  const actions = arbitraryCase(actionBodies, 'PodActionRequest')
  const patches = arbitraryCase(patchBodies(planeOf(context.target)), 'PodUpdate')
  const acting = (['RUNNING', 'EXITED'] as const).map((status) => ({
    name: `triggerPodAction ${status}`,
    shape: {} as PodShape,
    status: status as string,
    trial: actionTrial(context, status),
    enumerated: actionNames.flatMap((action) => enumerate({ action }, 'PodActionRequest')),
    random: actions,
  }))
  const patching = mountStates(context).map((shape) => ({
    name: `updatePod ${shape.kind ?? 'pod'} ${shape.mount ?? 'none'}`,
    shape,
    status: 'EXITED',
    // Where the volume is, only a pod that mounts it could tell: every answer to a volume elsewhere is taken.
    trial: patchTrial(context, shape, undefined),
    enumerated: bodiesFor(context, shape).flatMap((mounts) => enumerate({ mounts }, 'PodUpdate')),
    random: patches,
  }))
  return [...acting, ...patching].map((stage) => {
    const { enumerated, shape, trial, status } = stage
    const mounts = mountsOf(planeOf(context.target), shape.mount ?? 'none')
    const situation = trial.situation({ id: '', status, value: { mounts }, exchange: 0 })
    return { ...stage, enumerated: inOrder(enumerated, situation), pod: null, refused: [], spent: new Map() }
  })
}

/** Case number `run` of a seed: first everything that is enumerated, then random cases of each stage in turn. */
export function caseAt(stages: readonly Stage[], seed: number, run: number): { stage: Stage; one: FuzzCase } {
  let left = run
  for (const stage of stages) {
    const one = stage.enumerated[left]
    if (one !== undefined) return { stage, one }
    left -= stage.enumerated.length
  }
  const stage = stages[left % stages.length]
  if (stage === undefined) throw new Error('there is nothing to try a body on')
  return { stage, one: shrinkable(draw(stage.random, seed, run), stage.random) }
}

/** How many cases are enumerated. */
export function enumeratedOf(stages: readonly Stage[]): number {
  return stages.reduce((sum, { enumerated }) => sum + enumerated.length, 0)
}

function bodiesFor(context: Context, { mount = 'none' }: PodShape): readonly object[] {
  const network = [movedNetwork(context)]
  const persistent = movedPersistent(context)
  if (mount === 'none') return [{}, { network }, { persistent }]
  return mount === 'network' ? [{ network }, { network, persistent }] : [{ persistent }, { network, persistent }]
}

import type fc from 'fast-check'
import type { SchemaName } from '../../generated/validators.ts'
import { planeOf } from '../../harness/fixtures/pods.ts'
import type { PodShape } from '../../harness/fixtures/types.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { mountStates, movedNetwork, movedPersistent } from '../shared/patching.ts'
import { arbitraryCase, asIs, caseText, draw, enumerate, type FuzzCase, shrinkable } from './cases.ts'
import { classify } from './oracle.ts'
import { createSubject, playAll, type Subject } from './play.ts'
import { actionsAsTheyAre, actionTrial, patchTrial } from './trials.ts'
import { actionBodies, ledgerSeed, patchBodies, type World } from './world.ts'

/** Random cases after the enumeration, of each rule. */
const drawn = 12

rule('pods.action-body.fuzz', async (context) => {
  const exited = { operation: 'triggerPodAction', status: 'EXITED' } as const
  const mayAct = ({ bytes }: FuzzCase) => classify(exited, bytes).some(({ after }) => after.kind !== 'unchanged')
  const refusable = [...enumerate({ action: 'terminate' }, 'PodActionRequest'), ...actions]
  const onRunning = [...actionsAsTheyAre('start'), ...enumerate({ action: 'stop' }, 'PodActionRequest')]
  const onExited = [
    ...actionsAsTheyAre('stop', 'restart'),
    ...refusable.filter((one) => !mayAct(one)),
    ...actionsAsTheyAre('terminate'),
  ]
  const cases = { RUNNING: onRunning, EXITED: onExited }
  await context.clock.beside(['RUNNING', 'EXITED'] as const, (status) =>
    playAll(context, actionTrial(context, status), cases[status]),
  )
})

rule('pods.patch.fuzz', async (context) => {
  const { clock } = context
  const done = new Set<string>()
  const stages: PatchStage[] = mountStates(context.part)
    .toSorted((a, b) => Number(b.mount === 'network') - Number(a.mount === 'network'))
    .flatMap((shape) => {
      const cases = patchCases(context, shape).filter((one) => one.mutator === asIs || !done.has(caseText(one)))
      for (const one of cases) done.add(caseText(one))
      const parts = Math.ceil(cases.length / casesEach)
      const each = Math.ceil(cases.length / parts)
      return Array.from({ length: parts }, (_, part) => ({
        shape,
        cases: cases.slice(part * each, (part + 1) * each),
        subject: createSubject(),
      }))
    })
  await clock.beside(stages, async ({ shape, subject }) => {
    subject.pod = await patchTrial(context, shape, null).make()
  })
  const [first] = stages
  const center = first?.shape.mount === 'network' ? first.subject.pod?.value.dataCenterId : null
  const trialOf = (shape: PodShape) => patchTrial(context, shape, center)
  const play = (casesOf: (stage: PatchStage) => readonly FuzzCase[]) =>
    clock.beside(stages, (stage) => playAll(context, trialOf(stage.shape), casesOf(stage), stage.subject))
  await play(({ cases }) => cases)
  await play(() => randomPatches(planeOf(context.target)))
})

/** Cases that are tried on one pod in turn; where there are more, several pods share them. */
const casesEach = 60

/** One kind of pod, what is tried on it, and the pod that is at hand. */
interface PatchStage {
  readonly shape: PodShape
  readonly cases: readonly FuzzCase[]
  readonly subject: Subject
}

/** On its own mount everything that can be wrong, and the other kinds of mount as they are. */
function patchCases(context: Context, { mount = 'none' }: PodShape): FuzzCase[] {
  const network = [movedNetwork(context)]
  const persistent = movedPersistent(context)
  const own = mount === 'network' ? { network } : mount === 'persistent' ? { persistent } : {}
  return [
    ...[{ network }, { persistent }, { network, persistent }, { network: [] }].flatMap((mounts) =>
      enumerate({ mounts }, 'PodUpdate').slice(0, 1),
    ),
    ...enumerate({ mounts: own }, 'PodUpdate'),
  ]
}

/** The same cases as long as the ledger is the same: a gate must not flicker. */
function random(bodies: fc.Arbitrary<unknown>, schema: SchemaName, count: number): FuzzCase[] {
  const cases = arbitraryCase(bodies, schema)
  return Array.from({ length: count }, (_, run) => shrinkable(draw(cases, ledgerSeed, run), cases))
}

/** Drawn once for each target that a process judges: making arbitraries costs more than drawing from them. */
function randomPatches(world: World): readonly FuzzCase[] {
  const { volume, volumeSecond, volumePath, persistent } = world
  const key = JSON.stringify([volume, volumeSecond, volumePath, persistent])
  const known = patches.get(key) ?? random(patchBodies(world), 'PodUpdate', drawn)
  patches.set(key, known)
  return known
}

const patches = new Map<string, readonly FuzzCase[]>()
const actions = random(actionBodies, 'PodActionRequest', drawn)

import { memoizeTexts } from '../../harness/common/memoize.ts'
import { planeOf } from '../../harness/planes/pods/fixtures/pod-body.ts'
import type { PodShape } from '../../harness/planes/pods/fixtures/types.ts'
import { createCases } from '../../harness/rule/cases.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { mountStates, mountsMoved } from '../shared/patching.ts'
import { actionBodies, patchBodies } from './arbitrary.ts'
import {
  asIs,
  bodyText,
  casesText,
  caseText,
  drawCases,
  enumerate,
  type FuzzCase,
  firstOfEach,
  inDrawnPart,
} from './cases.ts'
import { giveUp, lookAtPod, payOwed } from './look.ts'
import { allowedText } from './oracle.ts'
import { createSubject, inOrder, type Subject } from './stages.ts'
import { createLog, type Seen, type Steps } from './steps.ts'
import { actionsAsTheyAre, actionTrial, mayChange, patchTrial } from './trial.ts'
import { tryOne } from './try.ts'

/** Random cases after the enumeration, of each rule. */
const drawn = 12
/** Cases that are tried on one pod in turn; if there are more, several pods share them. */
const casesEach = 60
/** Planes whose cases are kept. */
const keptPlanes = 100

rule(
  'pods.action-body.fuzz',
  { each: () => ['RUNNING', 'EXITED'] as const, varies: ['part'] },
  async (context, status) => {
    const cases = (status === 'RUNNING' ? casesOnRunning() : casesOnExited()).filter(inDrawnPart(context))
    await playAll(context, createSubject(actionTrial(context, status)), cases)
  },
)

rule('pods.patch.fuzz', { each: patchStages, varies: ['part'] }, async (context, { cases, random, shape }) => {
  const { value } = await context.fixture.shared('RUNNING', { mount: 'network' })
  const subject = createSubject(patchTrial(context, shape, value.dataCenterId))
  await playAll(context, subject, cases, random)
})

function casesOnRunning(): readonly FuzzCase[] {
  return [...actionsAsTheyAre('start'), ...enumerate({ action: 'stop' }, 'PodActionRequest')]
}

function casesOnExited(): readonly FuzzCase[] {
  const exited = { operation: 'triggerPodAction', status: 'EXITED' } as const
  const refusable = [...enumerate({ action: 'terminate' }, 'PodActionRequest'), ...actions]
  return [
    ...actionsAsTheyAre('stop', 'restart'),
    ...refusable.filter((one) => !mayChange(exited, one)),
    ...actionsAsTheyAre('terminate'),
  ]
}

/** The cases for each pod: every case once, in batches of about the same size; the first of a shape has the random ones. */
function patchStages(context: Context) {
  const isFirst = firstOfEach()
  const isDrawn = inDrawnPart(context)
  const random = randomPatches(JSON.stringify(planeOf(context.target))).filter(isDrawn)
  return mountStates(context)
    .toSorted((a, b) => Number(b.mount === 'network') - Number(a.mount === 'network'))
    .flatMap((shape) => {
      const cases = patchCases(context, shape).filter((one) => isDrawn(one) && (one.mutator === asIs || isFirst(one)))
      const batches = Math.ceil(cases.length / casesEach)
      const each = Math.ceil(cases.length / batches)
      return Array.from({ length: batches }, (_, batch) => ({
        shape,
        random: batch === 0 ? random : [],
        cases: cases.slice(batch * each, (batch + 1) * each),
      }))
    })
}

/** On its own mount everything that can be wrong, and the other kinds of mount as they are. */
function patchCases(context: Context, { mount = 'none' }: PodShape): FuzzCase[] {
  const { network } = mountsMoved(context, 'network')
  const { persistent } = mountsMoved(context, 'persistent')
  const own = mount === 'network' ? { network } : mount === 'persistent' ? { persistent } : {}
  return [
    ...[{ network }, { persistent }, { network, persistent }, { network: [] }].flatMap((mounts) =>
      enumerate({ mounts }, 'PodUpdate').slice(0, 1),
    ),
    ...enumerate({ mounts: own }, 'PodUpdate'),
  ]
}

/** Drawn once for each target that a process judges: making arbitraries costs more than drawing from them. */
const randomPatches = memoizeTexts((plane) => drawCases(patchBodies(JSON.parse(plane)), 'PodUpdate', drawn), keptPlanes)
const actions = drawCases(actionBodies, 'PodActionRequest', drawn)

/**
 * Tries lists of cases in turn on the pod of a subject; the first finding fails the rule. Whatever is refused leaves the pod
 * as it was, so one pod serves until a body is accepted. Those that may be accepted come last in their list.
 */
async function playAll(context: Context, subject: Subject, ...lists: readonly (readonly FuzzCase[])[]): Promise<void> {
  const steps = stepsOf(context)
  const { attempt, end } = createCases()
  /** Leaves a pod of which nobody knows how it is. */
  const leave = () => giveUp(subject, steps)
  for (const cases of lists) {
    const goesOn = await attempt(async () => {
      subject.pod ??= await subject.trial.make()
    })
    if (!goesOn || subject.pod === null) break
    for (const one of inOrder(cases, subject.trial.situation(subject.pod))) {
      if (!(await attempt(() => tryOne(subject, { one, path: '' }, steps, true), leave))) break
    }
    if (!(await attempt(() => lookAtPod(subject, steps), leave))) break
  }
  await attempt(() => payOwed(subject, steps, 1))
  end()
}

/** The steps of a rule: every request is recorded, and a wrong response ends it. */
function stepsOf(context: Context): Steps {
  return {
    context,
    seed: 0,
    isRule: true,
    isTimeFree: true,
    isKnown: () => false,
    keep: (_, seen) => fail(context, seen),
    direct: (trial, pod, bytes, options) => trial.send(pod, bytes, options),
    outcomeOf: async (work) => ({ value: await work() }),
    clean: (text) => text,
    log: createLog(),
    came() {},
    async drop() {},
  }
}

function fail({ check }: Context, { cases, allowed, observed, answer, change }: Seen): void {
  const all = cases.map(({ one }) => one)
  const last = all.at(-1)
  if (last === undefined) return
  if (change !== undefined) {
    const expected = `nothing changed by ${all.map(({ bytes }) => bodyText(bytes)).join(', then ')}`
    check('unchanged').that(false, expected, `${change.text} after ${casesText(all)}`, change.response)
    return
  }
  const before = all.length > 1 ? ` after ${casesText(all.slice(0, -1))}` : ''
  const expected = `${allowedText(allowed)} to ${bodyText(last.bytes)}`
  check('answer').that(false, expected, `${observed} to ${caseText(last)}${before}`, answer)
}

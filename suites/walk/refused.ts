import { podKindOf } from '../../harness/planes/pods/fixtures/pod-body.ts'
import type { Context } from '../../harness/rule/context.ts'
import { bodyText, enumerate, type FuzzCase } from '../fuzz/cases.ts'
import { encoded } from '../fuzz/mutators/types.ts'
import { classify, type Situation } from '../fuzz/oracle.ts'
import { isChange } from '../fuzz/trial.ts'
import { mountsMoved } from '../shared/patching.ts'
import { forbidden, type PodModel, permitted } from './model.ts'
import type { StepOf } from './steps.ts'

/** A request that must be refused. */
interface Refused {
  readonly operation: 'triggerPodAction' | 'updatePod'
  readonly bytes: Uint8Array
  readonly text: string
}

/** The request that a step names: an action that is not permitted, or a body that the oracle of `fuzz` only lets be refused. */
export function refusedRequest(context: Context, pod: PodModel, { operation, at }: StepOf<'at'>): Refused {
  if (operation === 'action') {
    const actions = forbidden(pod)
    const action = actions[at % actions.length] ?? ''
    return { operation: 'triggerPodAction', bytes: encoded(JSON.stringify({ action })), text: action }
  }
  const cases = operation === 'patch' ? refusedPatches(context, pod) : refusedActions(pod)
  const { bytes } = cases[at % cases.length] ?? { bytes: encoded('{') }
  return { operation: operation === 'patch' ? 'updatePod' : 'triggerPodAction', bytes, text: bodyText(bytes) }
}

function refusedActions(pod: PodModel): readonly FuzzCase[] {
  const situations = pod.statuses.map((status) => ({ operation: 'triggerPodAction', status }) as const)
  return permitted(pod)
    .flatMap((action) => enumerate({ action }, 'PodActionRequest'))
    .filter((one) => situations.every((situation) => isRefusedIn(situation, one)))
}

/** Mounts that are wrong, and beside them a name that they keep from being changed. */
function refusedPatches(context: Context, pod: PodModel): readonly FuzzCase[] {
  const { shape, seen } = pod
  const { mount = 'none' } = shape
  const situation = {
    operation: 'updatePod',
    kind: podKindOf(context.target, shape),
    mounts: seen.value.mounts,
    otherVolumes: [],
    isVolumeThere: false,
  } as const
  const own = mount === 'none' ? [] : [mountsMoved(context, mount)]
  return [{ network: [] }, ...own]
    .flatMap((mounts) => enumerate({ name: 'plumbline-refused', mounts }, 'PodUpdate'))
    .filter((one) => one.place.startsWith('$.mounts') || one.place === '$')
    .filter((one) => isRefusedIn(situation, one))
}

/** True if every response that the oracle allows is a refusal, and no other row judges another one. */
function isRefusedIn(situation: Situation, { bytes }: FuzzCase): boolean {
  const allowed = classify(situation, bytes)
  return !allowed.some(isChange) && allowed.every(({ left }) => left?.answers !== 'any')
}

import type { ApiResponse } from '../../harness/client/api-response.ts'
import { raw } from '../../harness/client/body.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import { type Members, membersOf } from '../../harness/exchange/read.ts'
import { changeOf, shows } from '../../harness/planes/pods/fixtures/change.ts'
import { restartBeginsMs } from '../../harness/planes/pods/fixtures/history.ts'
import { mountsOf, planeOf } from '../../harness/planes/pods/fixtures/pod-body.ts'
import type { PodShape } from '../../harness/planes/pods/fixtures/types.ts'
import { inconclusiveIfOutage, isRefusal } from '../../harness/rule/check.ts'
import type { Context } from '../../harness/rule/context.ts'
import { encoded } from '../fuzz/mutators/types.ts'
import { retryWhileScarce } from '../pods/answers.ts'
import { mountIn } from '../shared/patching.ts'
import { afterSteps } from './after.ts'
import { createLooks } from './looks.ts'
import {
  addPod,
  isAlive,
  isAtRest,
  isLocked,
  type PodModel,
  patch,
  permissionOf,
  settle,
  take,
  type WalkModel,
} from './model.ts'
import { refusedRequest } from './refused.ts'
import { placeOf, type Step, type StepOf, stepText } from './steps.ts'
import type { WalkCall } from './walk.ts'

type CalledOnPod = 'triggerPodAction' | 'updatePod' | 'deletePod' | 'getPod'

interface WalkerOptions {
  /** The kinds of pods to create. */
  readonly shapes: readonly PodShape[]
  /** Filled with the steps as they are taken; without it, an expectation names the steps before it. */
  readonly calls?: WalkCall[]
}

/** Variables that each pod is created with. */
export const walkEnv = { PLUMBLINE: 'kept' }

/** The target as the steps of a walk see it: each is carried out, and all pods are compared with the model. */
export function createWalker(context: Context, { shapes, calls: given }: WalkerOptions) {
  const { check, clock, fixture, inconclusive, pods, target } = context
  const calls = given ?? []
  const { settleMs, visibleMs } = target.tolerances
  const looks = createLooks(context, after)
  /** The step that is taken now. */
  let now: Pick<WalkCall, 'said' | 'step'> = { said: 'create A' }

  function after(expected: string): string {
    return afterSteps(expected, given === undefined ? calls.slice(1).map(({ said }) => said) : [])
  }

  /** Another value with each step. */
  const mark = () => `w${calls.length}`

  /** The first pod of a walk. */
  async function begin(shapeAt: number, model: WalkModel): Promise<void> {
    await create({ shape: shapeAt, isHasty: false }, model)
  }

  async function takeStep(step: Step, model: WalkModel): Promise<void> {
    now = { said: stepText(step, model), step }
    const touched = await carryOut(step, model)
    for (const pod of model.pods) if (pod !== touched && isAlive(pod)) await looks.expectExplained(pod)
  }

  /** Takes a step; resolves with the pod that it was about, if that was looked at. */
  async function carryOut(step: Step, model: WalkModel): Promise<PodModel | null> {
    if (step.does === 'create') return create(step, model)
    if (step.does === 'list') {
      calls.push({ ...now, operation: 'listPods' })
      await looks.expectListed(model)
      return null
    }
    if (step.does === 'wait') {
      calls.push({ ...now, operation: 'wait', seconds: step.seconds })
      await clock.sleep(step.seconds * 1_000)
      await expectAllAtRest(model)
      return null
    }
    const pod = model.pods[placeOf(step, model)]
    if (pod === undefined) throw new Error('a step is about a pod that the walk has not made')
    await carryOutOn(pod, step, model)
    return pod
  }

  function carryOutOn(pod: PodModel, step: StepOf<'pod'>, model: WalkModel): Promise<void> {
    switch (step.does) {
      case 'act':
        return act(pod, step)
      case 'delete':
        return remove(pod)
      case 'patch':
        return change(pod, step.field, model)
      case 'lock':
        return lock(pod, step.locked, model)
      case 'refused':
        return refuse(pod, step)
      case 'stranger':
        return intrude(pod, step.call)
    }
  }

  /** Sends a call about a pod, and keeps it. */
  async function send(
    pod: PodModel,
    call: Partial<WalkCall> & Pick<WalkCall, 'operation'>,
    ask: () => Promise<ApiResponse>,
  ): Promise<ApiResponse> {
    const kept = { ...now, ...call, pod: pod.letter }
    const place = calls.push(kept) - 1
    const response = await ask()
    inconclusiveIfOutage(response)
    calls[place] = { ...kept, status: response.status, ...(isSuccess(response.status) ? {} : { rest: pod.rest }) }
    return response
  }

  /** Notes the status that a pod comes to by the last call. */
  function noteRest({ rest }: PodModel): void {
    const last = calls.pop()
    if (last !== undefined) calls.push({ ...last, rest })
  }

  async function create(step: Pick<StepOf<'shape'>, 'shape' | 'isHasty'>, model: WalkModel): Promise<PodModel> {
    const shape = shapes[step.shape % shapes.length] ?? {}
    const more = { env: { ...membersOf(target.pods?.extra.env), ...walkEnv } }
    const full = { ...shape, more }
    const seen = await (step.isHasty ? fixture.fresh(full) : fixture.pod('RUNNING', full))
    const pod = addPod(model, seen, { ...shape, mount: mountIn(seen.value) }, walkEnv)
    calls.push({
      ...now,
      operation: 'createPod',
      pod: pod.letter,
      shape: pod.shape,
      ...(step.isHasty ? {} : { rest: pod.rest }),
    })
    return pod
  }

  async function act(pod: PodModel, { action, isHasty }: StepOf<'action'>): Promise<void> {
    const { mayBeTaken, mayBeRefused } = permissionOf(pod, action)
    const expected = [mayBeTaken ? 'a success' : '', mayBeRefused ? 'a refusal' : ''].filter(Boolean).join(' or ')
    const where = `${expected} while ${pod.statuses.join(' or ')}`
    const ask = () => pods.act(pod.id, action)
    const response = await send(pod, { operation: 'triggerPodAction', bytes: bytesOf({ action }) }, () =>
      action === 'start' || action === 'restart' ? retryWhileScarce(context, pod.seen, ask) : ask(),
    )
    const isTaken = isSuccess(response.status)
    // A pod may have left its status by itself.
    if (!isTaken) await looks.expectExplained(pod)
    const isExpected = isTaken ? mayBeTaken : mayBeRefused && isRefusal(response)
    check('answered').that(isExpected, after(where), `status ${response.status} to ${action}`, response)
    if (!isTaken) return
    take(pod, action)
    if (isHasty && pod.rest === 'RUNNING') return looks.expectExplained(pod)
    noteRest(pod)
    await looks.expectRest(pod, action)
  }

  async function remove(pod: PodModel): Promise<void> {
    const response = await send(pod, { operation: 'deletePod' }, () => pods.delete(pod.id))
    const isTaken = isSuccess(response.status)
    const isExpected = isTaken || (isLocked(pod) && isRefusal(response))
    check('answered').that(isExpected, after('a success'), `status ${response.status} to DELETE`, response)
    if (!isTaken) return looks.expectExplained(pod)
    take(pod, 'terminate')
    noteRest(pod)
    await looks.expectRest(pod, 'terminate')
  }

  async function change(pod: PodModel, field: StepOf<'field'>['field'], model: WalkModel): Promise<void> {
    const body = field === 'mounts' ? movedMount(pod) : changeOf(context, pod.seen, mark())
    const response = await patched(pod, body)
    if (!isSuccess(response.status)) {
      const expected = after('a success or a refusal')
      check('answered').that(isRefusal(response), expected, `status ${response.status} to PATCH`, response)
      return looks.expectExplained(pod)
    }
    // It may start the container again.
    if (pod.rest === 'RUNNING') await clock.sleep(restartBeginsMs)
    const isDone = (status: string, seen: typeof rest.pod) => status === pod.rest && seen !== null && shows(seen, body)
    const rest = await context.settle(pod.id, isDone, settleMs)
    if (!rest.settled && rest.status === pod.rest && !model.patched.has(field))
      inconclusive(`a PATCH of ${Object.keys(body).join()} was answered ${response.status} and not carried out`)
    patch(pod, changedBy(body, pod.seen.value))
    model.patched.add(field)
    settle(pod, rest.settled ? rest.pod : null)
    await looks.expectExplained(pod)
  }

  async function lock(pod: PodModel, locked: boolean, model: WalkModel): Promise<void> {
    const response = await patched(pod, { locked })
    const isShown = (_: string, seen: { readonly value: Members } | null) => seen?.value.locked === locked
    const isDone = isSuccess(response.status) && (await context.settle(pod.id, isShown, visibleMs)).settled
    if (isDone) patch(pod, { locked })
    else model.canLock = false
    await looks.expectExplained(pod)
  }

  function patched(pod: PodModel, body: Members): Promise<ApiResponse> {
    return send(pod, { operation: 'updatePod', bytes: bytesOf(body) }, () => pods.patch(pod.id, body))
  }

  async function refuse(pod: PodModel, step: StepOf<'at'>): Promise<void> {
    const { operation, bytes, text } = refusedRequest(context, pod, step)
    const response = await send(pod, { said: `${now.said} ${text}`, operation, bytes }, () =>
      pods.call(operation, { ids: { id: pod.id }, body: raw(bytes), mustBeRefused: true }),
    )
    check('refused').that(isRefusal(response), after(`a refusal of ${text}`), `status ${response.status}`, response)
    await looks.expectExplained(pod)
  }

  async function intrude(pod: PodModel, name: StepOf<'call'>['call']): Promise<void> {
    const body =
      name === 'patch' ? changeOf(context, pod.seen, mark(), 'name') : isAction(name) ? { action: name } : null
    const operation: CalledOnPod = isAction(name) ? 'triggerPodAction' : othersOperations[name]
    const call = { operation, isStranger: true, ...(body === null ? {} : { bytes: bytesOf(body) }) }
    const response = await send(pod, call, () =>
      context
        .as('stranger')
        .call(operation, { ids: { id: pod.id }, mustBeRefused: true, ...(body === null ? {} : { body }) }),
    )
    const expected = after(`a refusal of ${name} by another account`)
    check('refused').that(isRefusal(response), expected, `status ${response.status}`, response)
    await looks.expectExplained(pod)
  }

  function movedMount({ shape: { mount = 'none' } }: PodModel): Members {
    const plane = planeOf(target)
    const path = mount === 'persistent' ? (plane.persistent?.path ?? '/persistent') : plane.volumePath
    return { mounts: mountsOf(plane, mount, `${path}-${mark()}`) }
  }

  /** Every pod that is on its way comes to rest. */
  async function expectAllAtRest({ pods: all }: WalkModel): Promise<void> {
    for (const pod of all) if (!isAtRest(pod)) await looks.expectRest(pod, 'start')
  }

  /** The last looks: pods come to rest, those that were terminated are still gone, and the list shows all that. */
  async function end(model: WalkModel): Promise<void> {
    await expectAllAtRest(model)
    for (const pod of model.pods) if (!isAlive(pod)) await looks.expectExplained(pod)
    await looks.expectListed(model)
  }

  /** Unlocks the pods, because a platform may refuse to remove a locked one. */
  async function unlock({ pods: all }: WalkModel): Promise<void> {
    for (const pod of all) {
      if (isAlive(pod) && isLocked(pod)) await Promise.allSettled([pods.patch(pod.id, { locked: false })])
    }
  }

  return { begin, takeStep, end, unlock }
}

const othersOperations = { get: 'getPod', patch: 'updatePod', delete: 'deletePod' } as const

function isAction(name: StepOf<'call'>['call']): name is 'stop' | 'start' | 'restart' {
  return !(name in othersOperations)
}

function bytesOf(body: Members): Uint8Array {
  return encoded(JSON.stringify(body))
}

/** The part of a PATCH that changes something: of the variables those that have another value now. */
function changedBy(body: Members, before: Members): Members {
  if (!('env' in body)) return body
  const had = membersOf(before.env) ?? {}
  const changed = Object.entries(membersOf(body.env) ?? {}).filter(([name, value]) => had[name] !== value)
  return { ...body, env: Object.fromEntries(changed) }
}

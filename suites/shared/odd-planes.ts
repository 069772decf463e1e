import { pathOf, routeOf } from '../../harness/client/caller.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import { membersOf, type PodView, show } from '../../harness/exchange/read.ts'
import { planeOf } from '../../harness/planes/pods/fixtures/pod-body.ts'
import type { Context } from '../../harness/rule/context.ts'
import type { QueuePath } from '../../target/types.ts'
import { expectAccepted } from '../pods/answers.ts'
import { echo, expectNotReached, received, sentOnce, servingNormal } from './balanced.ts'
import { createdEndpoint, endpointBody, get, sectionOf } from './endpoints.ts'
import { expectEnd } from './job-ends.ts'
import { executeLaterJob } from './later-job.ts'
import { callOf, jsonFault, type OddPlane, problemFault } from './odd-requests.ts'
import { untilFound } from './poll.ts'
import { expectUnchanged, rereadMoments } from './unchanged.ts'

/** The pod API with a RUNNING pod. */
export async function oddPods(context: Context): Promise<OddPlane & { readonly pod: PodView }> {
  const { fixture, pods, target } = context
  const pod = await fixture.pod('RUNNING')
  const { getPod, triggerPodAction } = planeOf(target).paths
  const ids = { id: pod.id }
  return {
    pod,
    read: { method: 'GET', path: pathOf(getPod, ids) },
    act: { method: 'POST', path: pathOf(triggerPodAction, ids), body: { action: 'stop' } },
    send: (odd) => pods.call('otherPodRoute', callOf(odd)),
    formFault: problemFault,
    async expectNoEffect() {
      await expectUnchanged(context, pod)
      await expectAccepted(context, pod)
    },
  }
}

/** The normal queue-based endpoint with a job that runs, if the suite sees what jobs do. */
export async function oddQueue(context: Context) {
  const { begun, check, ended, fixture, part, queue, target } = context
  const isSeen = part('worker') && part('receiver')
  const job = await fixture.submitted(isSeen ? { steps: [{ hold: 'go' }, { output: 'done' }] } : {})
  if (isSeen) await begun(job)
  await untilFound(context, () => job.queue.status(job.id))
  const submission = fixture.job(isSeen ? { steps: [{ output: 1 }] } : {})
  const ids = { endpoint: queue.endpoint, job: job.id }
  const routeTo = (operation: QueuePath, usual = 'POST') => {
    const { method, path } = routeOf(target.queue?.paths[operation] ?? '', usual)
    return { method, path: pathOf(path, ids) }
  }
  const plane: OddPlane = {
    read: routeTo('getJobStatus', 'GET'),
    act: routeTo('cancelJob'),
    send: (odd) => queue.call('otherQueueRoute', callOf(odd)),
    formFault: jsonFault,
    async expectNoEffect() {
      if (!isSeen) return
      job.beacon.release('go')
      await expectEnd(context, 'unchanged', job, await ended(job), 'COMPLETED')
    },
  }
  return {
    ...plane,
    /** A submission that is not sent as usual. */
    submit: { ...routeTo('runJob'), body: submission.body },
    /** The submission is not executed, while a later one is. */
    async expectNotExecuted(): Promise<void> {
      if (!isSeen) return
      const response = await executeLaterJob(context)
      const isExecuted = submission.beacon.executions().length > 0
      check('not-executed').that(!isExecuted, 'no execution of a refused submission', 'an execution of it', response)
    },
  }
}

/** Endpoint management with an endpoint. */
export async function oddEndpoints(context: Context) {
  const { check, inconclusive, nextName, on } = context
  const { id } = await createdEndpoint(context)
  const before = await get(context, id)
  if (!isSuccess(before.status)) inconclusive(`a read of the endpoint was answered ${before.status}`)
  const { createEndpoint, deleteEndpoint, getEndpoint } = sectionOf(context).paths
  const look = async () => {
    const after = await get(context, id)
    check('unchanged').status(after, before.status)
    const [was, is] = [before, after].map(({ json }) => show(membersOf(json)?.idleTimeout))
    check('unchanged').that(was === is, `idleTimeout ${was}`, `idleTimeout ${is}`, after)
  }
  const expectUnchanged = async () => {
    await look()
    for await (const _ of rereadMoments(context)) await look()
  }
  const plane: OddPlane = {
    read: { method: 'GET', path: pathOf(getEndpoint, { id }) },
    act: { method: 'DELETE', path: pathOf(deleteEndpoint, { id }) },
    submit: { method: 'POST', path: createEndpoint, body: endpointBody(context) },
    send(odd) {
      const { body } = odd
      // Each request that may create an endpoint has a name of its own, by which that is removed.
      const named = body !== null && typeof body === 'object' && 'name' in body ? { ...body, name: nextName() } : body
      return on('management').call(
        'otherEndpointRoute',
        callOf({ ...odd, ...(named !== undefined && { body: named }) }),
      )
    },
    formFault: jsonFault,
    async expectNoEffect() {
      await expectUnchanged()
      const { status } = await on('management').call('deleteEndpoint', { ids: { id }, repeats: true })
      if (!isSuccess(status)) inconclusive(`deleteEndpoint was answered ${status}, so a refusal shows nothing`)
    },
  }
  return { ...plane, id, expectUnchanged }
}

/** The normal load-balanced endpoint, whose worker counts what reaches it: nothing, or each request once. */
export async function oddLb(context: Context, most: 0 | 1): Promise<OddPlane> {
  const { check } = context
  const client = await servingNormal(context)
  const nonces: string[] = []
  return {
    read: { method: 'GET', path: echo },
    act: { method: 'POST', path: echo, body: {} },
    async send({ method, path, statuses: _, ...options }) {
      const { nonce, response } = await sentOnce(context, client, method, path, options)
      nonces.push(nonce)
      return response
    },
    async expectNoEffect() {
      if (most === 0) return expectNotReached(context, 'not-reached', nonces)
      for (const nonce of nonces) {
        const { times, response } = await received(context, client, nonce)
        check('once').that(times <= most, 'a request that reaches the worker once', `${times} times`, response)
      }
    },
  }
}

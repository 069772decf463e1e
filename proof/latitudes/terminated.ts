import { membersOf } from '../../harness/exchange/read.ts'
import type { StoredPod } from '../../reference/index.ts'
import { type Change, idIn, is, readOf, serving } from '../defects/tools.ts'
import type { Fetch } from '../types.ts'
import { latitude, reads, styled } from './tools.ts'

const actionsAre409 = reads('pods.action.terminated.any', '409', ['start', 'stop', 'restart', 'terminate'])

/** The life of a terminated pod. Its permitted actions are not listed, and neither is how long it is shown. */
export const terminated = [
  latitude('terminated-shown', 'GET goes on to show a terminated pod, as TERMINATED; an action on it is 409.', {
    about: 'terminated pods',
    style: { terminated: 'shown' },
    readings: actionsAre409,
  }),
  latitude('terminated-shown-for-a-while', 'A terminated pod is shown as TERMINATED for a minute, and is gone then.', {
    style: { terminated: 'shown-for-a-while' },
    readings: actionsAre409,
    about: ['pace', 'terminated pods'],
  }),
  latitude(
    'terminated-removed-between-reads',
    'The terminated pods of a rule are removed together, after three reads.',
    {
      about: 'terminated pods',
      style: { terminated: 'shown' },
      change: removedAfterReads(3),
      readings: actionsAre409,
    },
  ),
  latitude('terminated-listed', 'The list goes on to show terminated pods.', {
    about: 'terminated pods',
    style: { terminated: 'shown', terminatedListed: true },
    readings: actionsAre409,
  }),
  latitude('terminated-can-terminate', 'A terminated pod publishes terminate as its one action.', {
    about: 'terminated pods',
    style: { terminated: 'shown', terminatedActions: 'terminate' },
    readings: actionsAre409,
  }),
  {
    ...styled(
      'terminated-terminates-to-no-effect',
      'A terminated pod is shown with terminate as its one action, which is answered 204 again.',
      { terminated: 'shown', terminatedActions: 'terminate' },
      { readings: { 'pods.action.terminated.any': { start: '409', stop: '409', restart: '409', terminate: '204' } } },
    ),
    about: 'terminated pods',
    wrap: (fetch: Fetch) => async (request: Request) => {
      const asked = request.method === 'POST' ? await request.clone().text() : ''
      const response = await fetch(request)
      const isAgain = response.status === 409 && asked === '{"action":"terminate"}'
      if (!isAgain) return response
      // Errors need not have rate headers, but this is a success.
      const headers = new Headers((await fetch(readOf(request))).headers)
      for (const name of ['content-type', 'content-length']) headers.delete(name)
      return new Response(null, { status: 204, headers })
    },
  },
  latitude('terminated-shown-action-404', 'A terminated pod is shown, yet an action on it is 404.', {
    about: 'terminated pods',
    style: { terminated: 'shown', terminatedAction: 404 },
  }),
  latitude('terminated-gone-action-409', 'A terminated pod is 404 in GET, yet an action on it is 409.', {
    about: 'terminated pods',
    style: { terminatedAction: 409 },
    verdicts: { 'pods.action.unknown-pod': 'inconclusive' },
    readings: actionsAre409,
  }),
  latitude('terminated-shown-change-409', 'A terminated pod is shown, and PATCH of it is 409.', {
    about: 'terminated pods',
    style: { terminated: 'shown', terminatedChange: 409 },
    readings: actionsAre409,
  }),
  latitude('terminated-gone-change-409', 'A terminated pod is 404 in GET, yet PATCH of it is 409.', {
    about: 'terminated pods',
    style: { terminatedChange: 409 },
    verdicts: { 'pods.patch.unknown-pod': 'inconclusive' },
  }),
  styled('terminated-deletion-204', 'DELETE of a terminated pod is 204 again.', { terminatedDelete: 204 }),
  latitude('starting-deletion-409', 'DELETE of a pod that is STARTING is 409, as restart is; terminate is not.', {
    wrap: (fetch) => async (request) => {
      const read = is.delete(request) ? await membersOf(await (await fetch(readOf(request))).json()) : null
      if (read?.status !== 'STARTING') return fetch(request)
      const headers = { ...Object.fromEntries(request.headers), 'content-type': 'application/json' }
      return fetch(new Request(`${request.url}/action`, { method: 'POST', headers, body: '{"action":"restart"}' }))
    },
    readings: reads('pods.delete', 'not judged: DELETE was answered 409 while STARTING', ['STARTING']),
    about: ['pace', 'new resources'],
  }),
  styled('terminated-deletion-409', 'DELETE of a terminated pod is 409.', { terminatedDelete: 409 }),
] as const

/** Terminated pods of one rule are shown in so many reads of them, and removed before the next. */
function removedAfterReads(most: number): Change {
  return (base) => {
    const counts = new Map<string, number>()
    return serving((request, { fetch, service }) => {
      const store = service()?.store
      const pod = store?.get(idIn(request))
      if (!is.get(request) || pod?.status !== 'TERMINATED') return fetch(request)
      const count = (counts.get(ruleOf(pod)) ?? 0) + 1
      counts.set(ruleOf(pod), count)
      const isOver = (other: StoredPod) => other.status === 'TERMINATED' && ruleOf(other) === ruleOf(pod)
      if (count > most) for (const other of [...(store?.all() ?? [])].filter(isOver)) store?.remove(other)
      return fetch(request)
    })(base)
  }
}

/** The part of a pod's name that all pods of its rule share. */
function ruleOf({ name }: StoredPod): string {
  return name.split('-').slice(0, 3).join('-')
}

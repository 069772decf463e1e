import type { PodAction } from '../../generated/tables.ts'
import { Refusal } from '../../reference/index.ts'
import type { Defect } from '../types.ts'
import { doesToo, type Effect, effectOf, later, seen } from './action-tools.ts'
import { isSecond } from './auth-tools.ts'
import { permits } from './history-tools.ts'
import { all, type Change, defect, idIn, is, options, part, serving } from './tools.ts'

const restartAllowed = options({ style: { lockedRestart: 'allow' } })

/** Actions on locked pods. */
export const locked: readonly Defect[] = [
  defect('locked-stop-accepted', 'pods.action.locked-stop', 'refused', {
    says: 'A locked pod can be stopped.',
    observed: 'status 200',
    change: permitsLocked('stop'),
  }),
  defect('locked-stop-500', 'pods.action.locked-stop', 'refused', {
    says: 'stop of a locked pod is answered 500.',
    observed: 'status 500',
    change: refusesLocked('stop', 500),
  }),
  defect('locked-stop-carried-out', 'pods.action.locked-stop', 'unchanged', {
    says: 'stop of a locked pod is refused and carried out all the same.',
    observed: seen('RUNNING', 'EXITED'),
    change: refusesLocked('stop', 409, effectOf('stop')),
  }),
  defect('locked-stop-carried-out-later', 'pods.action.locked-stop', 'unchanged', {
    says: 'stop of a locked pod is refused, and the pod stops a minute later.',
    observed: seen('RUNNING', 'EXITED'),
    change: refusesLocked('stop', 409, later(60_000, effectOf('stop'))),
  }),
  defect('locked-stop-unlocks', 'pods.action.locked-stop', 'unchanged', {
    says: 'stop of a locked pod is refused and takes the lock away.',
    observed: 'locked false',
    change: refusesLocked('stop', 409, (pod) => {
      pod.locked = false
    }),
  }),
  defect('locked-stop-accepted-again', 'pods.action.locked-stop', 'refused', {
    says: 'The second stop of a locked pod that is RUNNING is carried out.',
    observed: 'status 200',
    change: (base) => {
      const refused = new Set<string>()
      return part('permit', (next, pod, asked) => {
        const refusal = next()
        if (refusal === null || !pod.locked || asked !== 'stop' || pod.status !== 'RUNNING') return refusal
        const isSecond = refused.has(pod.id)
        refused.add(pod.id)
        return isSecond ? null : refusal
      })(base)
    },
  }),
  defect('lock-binds-one-key', 'pods.action.locked-stop', 'refused', {
    says: 'Another key of the account than the one that locked a pod can stop it.',
    observed: 'status 200',
    change: serving(async (request, { fetch, service }) => {
      const pod = service()?.store.get(idIn(request))
      if (pod === undefined || !isSecond(request) || !is.action(request)) return fetch(request)
      const { locked } = pod
      pod.locked = false
      const response = await fetch(request)
      pod.locked = locked
      return response
    }),
  }),
  ...(['restarted', 'stopped and started'] as const).map((history) =>
    defect(`lock-of-${history.replaceAll(' ', '-')}-pod-ignored`, 'pods.action.locked-stop', 'refused', {
      says: `A locked pod that was ${history} before can be stopped.`,
      observed: 'status 200',
      variation: { history },
      change: permits(
        (action, past) => action === 'stop' && past.includes(history === 'restarted' ? 'restart' : 'start'),
      ),
    }),
  ),
  defect('locked-stop-accepted-before-running', 'pods.action.locked-stop', 'refused', {
    says: 'A pod that was locked before it was RUNNING can be stopped there.',
    observed: 'status 200',
    variation: { branch: 'PROVISIONING' },
    change: part('permit', (next, pod, asked) =>
      pod.locked && asked === 'stop' && pod.status !== 'RUNNING' && pod.status !== 'EXITED' ? null : next(),
    ),
  }),
  defect('locked-stop-of-starting-pod-carried-out', 'pods.action.locked-stop', 'goes-on', {
    says: 'stop of a locked pod that is STARTING is refused and carried out all the same.',
    observed: 'status EXITED',
    variation: { branch: 'STARTING' },
    change: refusesLocked('stop', 409, (pod, service) => {
      if (pod.status === 'STARTING') effectOf('stop')(pod, service)
    }),
  }),
  defect('locked-start-unlocks', 'pods.action.locked-start', 'locked', {
    says: 'A start takes the lock away.',
    observed: 'locked false',
    change: doesToo({ action: 'start' }, (pod) => {
      pod.locked = false
    }),
  }),
  defect('locked-start-refused', 'pods.action.locked-start', 'answered', {
    says: 'start of a locked pod that is EXITED is refused.',
    observed: 'status 409',
    change: refusesLocked('start', 409),
  }),
  defect('locked-start-500', 'pods.action.locked-start', 'answered', {
    says: 'start of a locked pod that is EXITED is answered 500.',
    observed: 'status 500',
    change: refusesLocked('start', 500),
  }),
  defect('locked-start-in-name-only', 'pods.action.locked-start', 'becomes-running', {
    says: 'start of a locked pod is answered 200, and the pod stays EXITED.',
    observed: 'status EXITED',
    change: ignoresLocked('start'),
  }),
  defect('locked-restart-500', 'pods.action.locked-reset', 'answered', {
    says: 'restart of a locked pod is answered 500.',
    observed: 'status 500',
    change: refusesLocked('restart', 500),
  }),
  defect('locked-restart-204', 'pods.action.locked-reset', 'answered', {
    says: 'restart of a locked pod is answered 204 and does nothing.',
    observed: 'status 204',
    change: refusesLocked('restart', 204),
  }),
  defect('locked-restart-carried-out', 'pods.action.locked-reset', 'runs-on', {
    says: 'restart of a locked pod is refused, and its container begins anew.',
    observed: 'a container that began anew',
    change: refusesLocked('restart', 409, effectOf('restart')),
  }),
  defect('locked-restart-carried-out-later', 'pods.action.locked-reset', 'runs-on', {
    says: 'restart of a locked pod is refused, and its container begins anew a minute later.',
    observed: 'a container that began anew',
    change: refusesLocked('restart', 409, later(60_000, effectOf('restart'))),
  }),
  defect('locked-restart-stops', 'pods.action.locked-reset', 'unchanged', {
    says: 'restart of a locked pod is refused, and the pod stops.',
    observed: seen('RUNNING', 'EXITED'),
    change: refusesLocked('restart', 409, effectOf('stop')),
  }),
  defect('locked-restart-in-name-only', 'pods.action.locked-reset', 'restarted', {
    says: 'restart of a locked pod is answered 200, and its container runs on.',
    observed: 'neither',
    change: all(restartAllowed, ignoresLocked('restart')),
  }),
  defect('locked-terminate-500', 'pods.action.locked-terminate', 'answered', {
    says: 'terminate of a locked pod is answered 500.',
    observed: 'status 500',
    change: refusesLocked('terminate', 500),
  }),
  defect('locked-terminate-carried-out', 'pods.action.locked-terminate', 'unchanged', {
    says: 'terminate of a locked pod is refused, and the pod is gone.',
    observed: 'status 404: it is gone',
    change: refusesLocked('terminate', 409, effectOf('terminate')),
  }),
  defect('locked-terminate-stops-later', 'pods.action.locked-terminate', 'unchanged', {
    says: 'terminate of a locked pod is refused, and the pod stops a minute later.',
    observed: seen('RUNNING', 'EXITED'),
    change: refusesLocked('terminate', 409, later(60_000, effectOf('stop'))),
  }),
]

function permitsLocked(action: PodAction): Change {
  return part('permit', (next, pod, asked) => (pod.locked && asked === action ? null : next()))
}

/** An action on a locked pod is refused with a status, after an effect. */
function refusesLocked(action: PodAction, status: number, effect: Effect = () => {}): Change {
  return part('permit', (next, pod, asked, service) => {
    if (!pod.locked || asked !== action) return next()
    effect(pod, service)
    return new Refusal(status, `the pod is locked, which does not permit ${action}`)
  })
}

/** An action on a locked pod is accepted and not carried out. */
function ignoresLocked(action: PodAction): Change {
  return part('transition', (next, pod, asked) => {
    if (!pod.locked || asked !== action) next()
  })
}

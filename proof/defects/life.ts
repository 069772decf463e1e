import type { StoredPod } from '../../reference/index.ts'
import type { Defect } from '../types.ts'
import { comesBack, does, doesToo, permits, refuses } from './action-tools.ts'
import { secondStart } from './history-tools.ts'
import { lists } from './list-delete.ts'
import { all, type Change, defect, idIn, is, jsonOf, onResponse, options, part, restated, type Wrap } from './tools.ts'

/** Pods that lose something on the way, and calls that meet each other. */
export const life: readonly Defect[] = [
  defect('start-loses-env', 'pods.action.start-restores', 'kept', {
    says: 'start of an EXITED pod begins with the variables of the image alone.',
    observed: 'env {}',
    change: loses('start'),
  }),
  defect('second-start-loses-env', 'pods.action.start-restores', 'kept', {
    says: 'The second start of a pod begins with the variables of the image alone.',
    observed: 'env {}',
    change: secondStart((pod) => {
      pod.env = {}
    }),
  }),
  defect('list-shows-second-start-exited', 'pods.action.start-restores', 'kept', {
    says: 'The list shows a pod that was started twice as EXITED.',
    observed: 'status "EXITED" in the list',
    variation: { seenIn: 'the list too' },
    change: (base) => {
      const started = new Set<unknown>()
      const shows = lists((pods) => pods.map((pod) => (started.has(pod.id) ? { ...pod, status: 'EXITED' } : pod)))
      return options({ wrapFetch: shows })(secondStart(({ id }) => void started.add(id))(base))
    },
  }),
  defect('restart-in-name-only', 'pods.action.restart-restarts', 'restarted', {
    says: 'restart is answered 200, and the container runs on.',
    observed: 'neither',
    change: does({ status: 'RUNNING', action: 'restart' }, () => {}),
  }),
  defect('second-restart-in-name-only', 'pods.action.restart-restarts', 'restarted', {
    says: 'A second restart of a pod is answered 200, and the container runs on.',
    observed: 'neither',
    change: restartsOnce(),
  }),
  defect('restart-loses-env', 'pods.action.restart-restarts', 'kept', {
    says: 'restart begins with the variables of the image alone.',
    observed: 'env {}',
    variation: { fields: 'many' },
    change: loses('restart'),
  }),
  defect('restart-changes-image', 'pods.action.restart-restarts', 'kept', {
    says: 'restart runs another image.',
    observed: 'image "plumbline-other:1"',
    change: doesToo({ action: 'restart' }, (pod) => {
      pod.image = 'plumbline-other:1'
    }),
  }),
  defect('terminated-is-shown-deleted-is-not', 'pods.action.terminate-equals-delete', 'get', {
    says: 'A terminated pod is shown for a while, and a deleted one is not.',
    observed: '200 "TERMINATED"',
    change: options({ style: { terminated: 'shown' } }),
    wrap: deletedOtherwise((response, request, deleted) =>
      is.get(request) && deleted.has(idIn(request)) ? new Response(null, { status: 404 }) : response,
    ),
  }),
  defect('terminated-stays-listed', 'pods.action.terminate-equals-delete', 'list', {
    says: 'A terminated pod stays in the list, and a deleted one does not.',
    observed: 'in the list',
    change: options({ style: { terminated: 'shown', terminatedListed: true } }),
    wrap: deletedOtherwise(async (response, request, deleted) => {
      if (!is.list(request)) return response
      const { pods } = (await response.json()) as { readonly pods: readonly { readonly id: string }[] }
      return Response.json({ pods: pods.filter(({ id }) => !deleted.has(id)) }, response)
    }),
  }),
  defect('fifth-stop-500', 'pods.action.race-stop', 'answers', {
    says: 'The fifth stop of a pod is answered 500.',
    observed: 'status 500',
    wrap: nth(5, 'stop', () => new Response(null, { status: 500 })),
  }),
  defect('tenth-stop-starts', 'pods.action.race-stop', 'ends', {
    says: 'The tenth stop of a pod starts it again.',
    observed: 'status RUNNING',
    wrap: nth(10, 'stop', (response, again) => again('start').then(() => response)),
  }),
  defect('stop-twice-200', 'pods.action.race-once', 'once', {
    says: 'A stop of a pod that is EXITED is answered 200.',
    observed: '10 responses 200',
    change: permits({ status: 'EXITED', action: 'stop' }),
  }),
  defect('start-twice-200', 'pods.action.race-once', 'once', {
    says: 'A start of a pod that is on its way to RUNNING is answered 200.',
    observed: '10 responses 200',
    variation: { branch: 'start' },
    change: part('permit', (next, pod, action) => (action === 'start' && pod.status !== 'RUNNING' ? null : next())),
  }),
  defect('third-terminate-500', 'pods.action.race-terminate', 'answers', {
    says: 'The third terminate of a pod is answered 500.',
    observed: 'status 500',
    wrap: nth(3, 'terminate', () => new Response(null, { status: 500 })),
  }),
  defect('terminate-409', 'pods.action.race-terminate', 'one', {
    says: 'terminate is carried out and answered 409.',
    observed: 'none',
    wrap: restated(is.action, 204, 409),
  }),
  defect('terminated-at-once-comes-back', 'pods.action.race-terminate', 'ends', {
    says: 'A terminated pod is there again a second later.',
    observed: 'status EXITED',
    change: comesBack,
  }),
  defect('conflict-500', 'pods.action.race-mixed', 'answers', {
    says: 'An action that the status does not permit is answered 500.',
    observed: 'status 500',
    wrap: restated(is.action, 409, 500),
  }),
  defect('start-of-running-keeps-stop', 'pods.action.race-mixed', 'consistent', {
    says: 'start of a RUNNING pod is answered 200, and keeps it from being stopped.',
    observed: 'restart 409, start 200, stop 409, terminate 204',
    change: all(permits({ status: 'RUNNING', action: 'start' }), refuses({ status: 'STARTING', action: 'stop' })),
  }),
  defect('mixed-comes-back', 'pods.action.race-mixed', 'ends', {
    says: 'A pod that is terminated while it starts is EXITED a second later.',
    observed: 'status EXITED',
    change: comesBack,
  }),
  defect('refusals-with-a-trace', 'errors.no-leak', 'trace', {
    says: 'A 409 has the stack of the exception in it.',
    observed: 'a stack trace',
    wrap: saying('StateError: not now\\n    at Pods.act (pods)\\n    at handle (/srv/router:12)'),
  }),
  defect('refusals-with-a-line', 'errors.no-leak', 'source', {
    says: 'A 409 names the line that raised it.',
    observed: 'a source file with a line number',
    wrap: saying('raised in /srv/app/pods.py:88'),
  }),
  defect('refusals-with-a-query', 'errors.no-leak', 'query', {
    says: 'A 409 shows the query that found nothing.',
    observed: 'a database query',
    wrap: saying('no rows: SELECT id FROM pods WHERE user = 7'),
  }),
  defect('hour-of-a-minute', 'limits.pods.window-length', 'length', {
    says: 'The hour is announced with a w of 60.',
    observed: 'w 60 of hour',
    wrap: onResponse(
      () => true,
      ({ headers }) => {
        headers.set('RateLimit-Policy', (headers.get('RateLimit-Policy') ?? '').replace('w=3600', 'w=60'))
        return {}
      },
    ),
  }),
]

/** Only the first restart of a pod is carried out. */
function restartsOnce(): Change {
  const restarted = new WeakSet<StoredPod>()
  return part('transition', (next, pod, action) => {
    if (action === 'restart' && restarted.has(pod)) return
    if (action === 'restart') restarted.add(pod)
    next()
  })
}

/** The variables of a pod are lost by an action. */
function loses(lost: 'start' | 'restart'): Change {
  return doesToo({ action: lost }, (pod) => {
    pod.env = {}
  })
}

/** Rewrites responses, with the ids of the pods that were deleted. */
function deletedOtherwise(
  rewrite: (response: Response, request: Request, deleted: ReadonlySet<string>) => Response | Promise<Response>,
): Wrap {
  return (fetch) => {
    const deleted = new Set<string>()
    return async (request) => {
      if (is.delete(request)) deleted.add(idIn(request))
      return rewrite(await fetch(request), request, deleted)
    }
  }
}

/** The nth of these actions on one pod is answered otherwise; `again` takes another action on it. */
function nth(
  count: number,
  meant: string,
  other: (response: Response, again: (action: string) => Promise<Response>) => Response | Promise<Response>,
): Wrap {
  return (fetch) => {
    const seen = new Map<string, number>()
    return async (request) => {
      const isMeant = is.action(request) && (await jsonOf(request))?.action === meant
      const { headers, method, url } = request
      const response = await fetch(request)
      if (!isMeant) return response
      seen.set(url, (seen.get(url) ?? 0) + 1)
      const again = (action: string) => fetch(new Request(url, { method, headers, body: JSON.stringify({ action }) }))
      return seen.get(url) === count ? other(response, again) : response
    }
  }
}

function saying(detail: string): Wrap {
  return onResponse(
    (_, { status }) => status === 409,
    ({ text }) => ({ text: text.replace(/"detail":"[^"]*"/, `"detail":"${detail}"`) }),
  )
}

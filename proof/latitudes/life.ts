import type { ReferenceClock } from '../../reference/clock/types.ts'
import { wait } from '../../reference/clock/wait.ts'
import { composeOptions, type FetchWrapper } from '../../reference/options.ts'
import type { PodStatus, StoredPod } from '../../reference/pods/pod.ts'
import type { PodService } from '../../reference/pods/service.ts'
import { all, type Change, options, part, readOf, refusing } from '../defects/tools.ts'
import type { Fetch, Latitude } from '../types.ts'
import {
  inProvisioning,
  inStarting,
  latitude,
  optioned,
  plane,
  reads,
  startsAtOnce,
  styled,
  timed,
  verdict,
} from './tools.ts'

/** Pods that went back to PROVISIONING. */
const allocatedTwice = new WeakSet<StoredPod>()

/** Latitudes of restarts contradict each other, so they are judged apart. */
const restarts = { about: 'restarts' } as const

/** How a pod moves on: neither the statuses right after start and restart are shown, nor how long anything takes. */
export const life = [
  latitude('found-after-2s', 'A new pod is found by its id after two seconds.', {
    about: ['delays', 'new resources', 'pace'],
    change: foundAfter(2_000),
  }),
  latitude('found-after-8s', 'A new pod is found by its id, and listed, after eight seconds.', {
    about: ['delays', 'new resources', 'pace'],
    change: all(foundAfter(8_000), options({ life: { listLagMs: 8_000 } })),
  }),
  styled('start-shows-provisioning', 'Right after start the pod is PROVISIONING.', { startStatus: 'PROVISIONING' }),
  styled('start-shows-running', 'Right after start the pod is RUNNING.', { startStatus: 'RUNNING' }),
  styled('start-shows-former', 'Right after start the pod still has its former status, for a second.', {
    startStatus: 'as-before',
  }),
  styled('restart-shows-starting', 'Right after restart the pod is STARTING.', { restartStatus: 'STARTING' }, restarts),
  latitude('restart-shows-provisioning', 'A restart passes through PROVISIONING and STARTING.', {
    change: part('transition', (next, pod, action, service) =>
      action === 'restart'
        ? next(pod, 'start', { ...service, style: { ...service.style, startStatus: 'PROVISIONING' } })
        : next(),
    ),
  }),
  latitude('restart-shows-exited', 'A restart passes through EXITED for half a second.', {
    ...restarts,
    change: part('transition', (next, pod, action, service) => {
      if (action !== 'restart') return next()
      const { clock } = service
      clock.schedule(clock.now() + 500, () => {
        if (pod.status !== 'EXITED') return
        // Only a stop keeps the disk.
        pod.isDiskKept = false
        next()
      })
      return next(pod, 'stop', service)
    }),
  }),
  styled(
    'restart-applied-later',
    'A restart is carried out a second after its response.',
    { restartApplied: 'later' },
    restarts,
  ),
  styled(
    'started-at-starting',
    'startedAt is set when the container begins to start.',
    { startedAtSet: 'starting' },
    { about: 'startedAt' },
  ),
  styled('started-at-kept', 'startedAt is not moved by a restart.', { startedAtOnRestart: 'kept' }),
  styled('started-at-null-when-exited', 'startedAt is null once the pod is EXITED.', { startedAtWhenExited: 'null' }),
  styled('change-restarts', 'A change of image, args, env or ports restarts the container.', {
    patchRestarts: 'container',
  }),

  latitude('life-instant', 'A pod is RUNNING as soon as it is created.', {
    // See `change-of-mounts-only`.
    about: 'quick pods',
    life: { provisioningMs: 0, startingMs: 0 },
    verdicts: verdict('inconclusive', [...inProvisioning, ...inStarting]),
  }),
  latitude('life-instant-declared', 'A pod is RUNNING as soon as it is created, and the target file says so.', {
    // See `change-of-mounts-only`.
    about: 'quick pods',
    life: { provisioningMs: 0, startingMs: 0 },
    ...startsAtOnce,
  }),
  latitude('life-no-provisioning', 'A pod is STARTING as soon as it is created.', {
    life: { provisioningMs: 0 },
    verdicts: verdict('inconclusive', inProvisioning),
  }),
  latitude('life-allocated-twice', 'A new pod is allocated once more while it is STARTING.', {
    // If a creation answers nothing, its pod is first seen after PROVISIONING.
    about: ['delays', 'bodies of creations', 'startedAt'],
    life: { startingMs: 12_000 },
    change: part('enter', (next, pod, status, service) => {
      const { clock, life, parts } = service
      const isFirst = status === 'STARTING' && pod.startedAtMs === null && !allocatedTwice.has(pod)
      next()
      if (!isFirst) return
      allocatedTwice.add(pod)
      const step = (part: number, from: PodStatus, to: PodStatus) =>
        clock.schedule(clock.now() + part * life.startingMs, () => {
          if (pod.status === from) parts.enter(pod, to, service)
        })
      step(1 / 3, 'STARTING', 'PROVISIONING')
      step(2 / 3, 'PROVISIONING', 'STARTING')
    }),
    readings: reads('pods.lifecycle.order', 'STARTING to PROVISIONING', ['back']),
  }),
  latitude('life-no-starting', 'A pod goes from PROVISIONING to RUNNING.', {
    // See `change-of-mounts-only`.
    about: 'quick pods',
    life: { startingMs: 0 },
    verdicts: verdict('inconclusive', inStarting),
  }),
  latitude('life-slow', 'Provisioning takes half a minute, and starting as long again.', {
    about: 'delays',
    life: { provisioningMs: 30_000, startingMs: 30_000 },
  }),
  latitude('life-brief', 'Provisioning and starting take a few milliseconds each.', {
    // See `change-of-mounts-only`.
    about: 'quick pods',
    life: { provisioningMs: 7, startingMs: 11 },
    verdicts: verdict('inconclusive', inStarting),
  }),
  timed(
    'stop-takes-time',
    'A pod becomes EXITED four seconds after stop was answered.',
    { stopMs: 4_000 },
    {
      // Until then the pod is RUNNING, where stop is permitted.
      verdicts: { 'pods.action.race-once': 'not-applicable' },
    },
  ),
  optioned(
    'restart-takes-time',
    'A restart passes through STARTING for ten seconds.',
    { style: { restartStatus: 'STARTING' }, life: { restartMs: 10_000 } },
    restarts,
  ),
  optioned('start-takes-time', 'A start is taken up five seconds after its response.', {
    style: { startStatus: 'as-before' },
    life: { startDelayMs: 5_000 },
  }),
  timed('runtime-late', 'A pod is RUNNING for five seconds before it has live metrics.', { runtimeDelayMs: 5_000 }),
  timed('runtime-cached', 'Live metrics are up to half a minute old.', { runtimeCacheMs: 30_000 }),
  timed('answers-take-time', 'Answers take a twentieth of a second.', { answerDelayMs: 50 }, { about: 'pace' }),
  {
    id: 'restart-arrives-late',
    says: 'The first restart that is asked of a STARTING pod arrives when it is RUNNING, and STARTING is shown once more.',
    about: 'restarts',
    change: (options) =>
      composeOptions(options, { style: { restartStatus: 'STARTING' }, wrapFetch: restartsLate(options.clock, 1) }),
  },
  {
    id: 'restarts-arrive-late',
    says: 'Every restart that is asked of a STARTING pod arrives when it is RUNNING, and STARTING is shown once more.',
    // With a long STARTING a restart there is judged.
    about: ['restarts', 'delays', 'pace'],
    change: (options) =>
      composeOptions(options, {
        style: { restartStatus: 'STARTING' },
        wrapFetch: restartsLate(options.clock, Number.POSITIVE_INFINITY),
      }),
    verdicts: { 'pods.action.starting.restart': 'inconclusive' },
  },
  latitude('error-by-other-image', 'Another image brings a pod into ERROR, as the target file says.', {
    options: { life: { errorImage: 'broken.example/' } },
    file: plane({ recipes: { ERROR: { body: { image: 'broken.example/image:1' }, actions: [], hook: null } } }),
  }),
] as const satisfies readonly Latitude[]

/** So many restarts of STARTING pods are on their way for ten seconds. */
function restartsLate(clock: ReferenceClock, count: number): FetchWrapper {
  return (fetch) => {
    let late = 0
    return async (request) => {
      if (late === count || !(await asksToRestart(request, fetch))) return fetch(request)
      late++
      await wait(10_000, { clock })
      return fetch(request)
    }
  }
}

/** True for a request to restart a pod that is STARTING. */
async function asksToRestart(request: Request, fetch: Fetch): Promise<boolean> {
  if (request.method !== 'POST' || !request.url.endsWith('/action')) return false
  if (!(await request.clone().text()).includes('"restart"')) return false
  const read = await fetch(readOf(request))
  return ((await read.json()) as { readonly status?: unknown }).status === 'STARTING'
}

/** They are last, so that the groups of the others stay as they are. */
export const late: readonly Latitude[] = [
  optioned(
    'change-of-mounts-restarts',
    'A change of mounts, image, args, env or ports restarts the container.',
    { style: { patchRestarts: 'mounts-too', restartStatus: 'STARTING' }, life: { restartMs: 1_000 } },
    restarts,
  ),
  optioned(
    'any-change-restarts',
    'A change of any field restarts the container, also the one that locks it.',
    { style: { patchRestarts: 'any-change', restartStatus: 'STARTING' }, life: { restartMs: 1_000 } },
    restarts,
  ),
  latitude('change-restarts-later', 'A second after a PATCH was answered, the container restarts.', {
    about: 'restarts',
    change: changeRestartsAfter(1_000),
  }),
  latitude('running-falls-back', 'A new pod goes back to STARTING once, 1.2 seconds after it was first RUNNING.', {
    about: 'everything',
    planes: ['pods'],
    change: fallsBackAfter(1_200),
    verdicts: {
      'pods.lifecycle.order': 'advice',
      'pods.status.running-lasts': 'advice',
      ...verdict('blocked', [
        'auth.pods.hidden',
        'auth.pods.odd-permission',
        'pods.action-body.empty',
        'pods.action-body.fuzz',
        'pods.action-body.no-effect',
        'pods.action-body.not-json',
        'pods.action-body.not-object',
        'pods.action.locked-stop',
        'pods.action.provisioning.restart',
        'pods.action.starting.restart',
        'pods.route-unknown',
      ]),
    },
    readings: reads('pods.lifecycle.order', 'RUNNING to STARTING', ['back']),
  }),
]

/** Each pod leaves its first RUNNING for STARTING. */
function fallsBackAfter(ms: number): Change {
  const fallen = new WeakSet<StoredPod>()
  return part('enter', (next, pod, status, service) => {
    next()
    if (status !== 'RUNNING' || fallen.has(pod)) return
    fallen.add(pod)
    startsAgain(pod, ms, service)
  })
}

/** In so many ms, a pod that is still RUNNING is STARTING once more. */
function startsAgain(pod: StoredPod, ms: number, service: PodService): void {
  const { clock, life, parts } = service
  const step = (inMs: number, from: PodStatus, to: PodStatus) =>
    clock.schedule(clock.now() + inMs, () => {
      if (pod.status === from) parts.enter(pod, to, service)
    })
  step(ms, 'RUNNING', 'STARTING')
  step(ms + life.startingMs, 'STARTING', 'RUNNING')
}

/** A PATCH of anything but the lock of a RUNNING pod restarts its container later. */
function changeRestartsAfter(ms: number): Change {
  return part('patchPod', (next, pod, given, service) => {
    next()
    if (pod.status === 'RUNNING' && !('locked' in Object(given))) startsAgain(pod, ms, service)
  })
}

/** For so long, ms, a new pod is found neither to read nor to change; it takes its first steps later. */
function foundAfter(ms: number): Change {
  return all(
    options({ life: { provisioningMs: ms + 2_000 } }),
    refusing('findPod', (id, _, { clock, store }) => {
      const createdMs = store.get(id)?.createdAtMs
      return createdMs !== undefined && clock.now() < createdMs + ms && [404, 'resource not found']
    }),
  )
}

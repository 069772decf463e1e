import { optioned, plane, styled, timed, verdict } from './tools.ts'

const inProvisioning = (['start', 'stop', 'restart', 'terminate'] as const).map(
  (action) => `pods.action.provisioning.${action}` as const,
)
const inStarting = (['start', 'stop', 'restart', 'terminate'] as const).map(
  (action) => `pods.action.starting.${action}` as const,
)

/** How a pod moves on: neither the statuses right after start and restart are shown, nor how long anything takes. */
export const life = [
  styled('start-shows-provisioning', 'Right after start the pod is PROVISIONING.', { startStatus: 'PROVISIONING' }),
  styled('start-shows-running', 'Right after start the pod is RUNNING.', { startStatus: 'RUNNING' }),
  styled('start-shows-former', 'Right after start the pod still has its former status, for a second.', {
    startStatus: 'as-before',
  }),
  styled('restart-shows-starting', 'Right after restart the pod is STARTING.', { restartStatus: 'STARTING' }),
  optioned('restart-shows-provisioning', 'A restart passes through PROVISIONING and STARTING.', {
    parts: {
      transition: (original) => (pod, action, service) =>
        action === 'restart'
          ? original(pod, 'start', { ...service, style: { ...service.style, startStatus: 'PROVISIONING' } })
          : original(pod, action, service),
    },
  }),
  styled('restart-applied-later', 'A restart is carried out a second after its answer.', { restartApplied: 'later' }),
  styled('started-at-starting', 'startedAt is set when the container begins to start.', { startedAtSet: 'starting' }),
  styled('started-at-kept', 'startedAt is not moved by a restart.', { startedAtOnRestart: 'kept' }),
  styled('started-at-null-when-exited', 'startedAt is null once the pod is EXITED.', { startedAtWhenExited: 'null' }),
  styled('change-restarts', 'A change of image, args, env or ports restarts the container.', { patchRestarts: true }),

  timed(
    'life-instant',
    'A pod is RUNNING as soon as it is created.',
    { provisioningMs: 0, startingMs: 0 },
    {
      verdicts: verdict('inconclusive', [...inProvisioning, ...inStarting]),
    },
  ),
  timed(
    'life-no-provisioning',
    'A pod is STARTING as soon as it is created.',
    { provisioningMs: 0 },
    {
      verdicts: verdict('inconclusive', inProvisioning),
    },
  ),
  timed(
    'life-no-starting',
    'A pod goes from PROVISIONING to RUNNING.',
    { startingMs: 0 },
    {
      verdicts: verdict('inconclusive', inStarting),
    },
  ),
  timed('life-slow', 'Provisioning takes half a minute, and starting as long again.', {
    provisioningMs: 30_000,
    startingMs: 30_000,
  }),
  timed(
    'life-brief',
    'Provisioning and starting take a few milliseconds each.',
    { provisioningMs: 7, startingMs: 11 },
    {
      verdicts: verdict('inconclusive', inStarting),
    },
  ),
  timed('stop-takes-time', 'A pod becomes EXITED four seconds after stop was answered.', { stopMs: 4_000 }),
  optioned('restart-takes-time', 'A restart passes through STARTING for ten seconds.', {
    style: { restartStatus: 'STARTING' },
    life: { restartMs: 10_000 },
  }),
  optioned('start-takes-time', 'A start is taken up five seconds after its answer.', {
    style: { startStatus: 'as-before' },
    life: { startDelayMs: 5_000 },
  }),
  timed('runtime-late', 'A pod is RUNNING for five seconds before it has live metrics.', { runtimeDelayMs: 5_000 }),
  timed('runtime-cached', 'Live metrics are up to half a minute old.', { runtimeCacheMs: 30_000 }),
  timed('list-lags', 'A new pod is in the list after five seconds.', { listLagMs: 5_000 }),
  optioned(
    'error-by-other-image',
    'Another image brings a pod into ERROR, as the target file says.',
    {
      life: { errorImage: 'broken.example/' },
    },
    {
      file: plane({ recipes: { ERROR: { body: { image: 'broken.example/image:1' }, actions: [] } } }),
    },
  ),
] as const

import type { Target } from '../../target/types.ts'
import { type Change, part } from '../defects/tools.ts'
import type { Latitude } from '../types.ts'
import { latitude, styled } from './tools.ts'

/** Responses of containers. */
const containers = { about: 'containers' } as const

/** Freedoms of containers and their ports. */
export const inside: readonly Latitude[] = [
  latitude(
    'closed-port-404',
    'A container responds ten seconds after its pod is RUNNING; until then a proxy answers 404.',
    {
      ...containers,
      style: { portClosed: 404 },
      change: respondsAfter(10_000),
    },
  ),
  latitude(
    'closed-port-reset',
    'A container responds 20 seconds after its pod is RUNNING; until then connections are closed.',
    {
      ...containers,
      style: { portClosed: 'reset' },
      change: respondsAfter(20_000),
    },
  ),
  styled(
    'stop-wipes-disk',
    'A stop wipes the container disk.',
    { exitedDisk: 'wiped' },
    {
      readings: { 'pods.action.stop-keeps-disk': { disk: 'wiped' } },
    },
  ),
  styled('restart-in-place', 'A restarted container has the arguments, variables and mounts of its last start.', {
    restartedWith: 'former',
  }),
  ...(['STARTING', 'PROVISIONING', 'EXITED'] as const).map((status) =>
    styled(
      `unpullable-${status.toLowerCase()}`,
      `A pod whose image cannot be pulled is ${status}.`,
      { unpullable: status },
      {
        readings: { 'pods.lifecycle.running-healthy': { unpullable: status } },
      },
    ),
  ),
  ...([400, 422] as const).map((status) =>
    styled(
      `unpullable-${status}`,
      `A creation whose image cannot be pulled is answered ${status}.`,
      { unpullable: status },
      {
        readings: { 'pods.lifecycle.running-healthy': { unpullable: 'refused' } },
      },
    ),
  ),
  latitude('ports-forwarded', 'The port of a probe is forwarded, and the runtime of its pod shows the address.', {
    about: 'addresses of ports',
    file: probed(() => ({ port: '8000/tcp', address: null })),
  }),
  latitude('ports-at-hosts', 'Each port of a pod has a host of its own.', {
    file: probed(({ pods }) => ({ address: hostOf(pods?.url ?? '') })),
  }),
  latitude('arguments-in-one-word', 'A container gets its arguments as one word.', {
    ...containers,
    change: part('reachContainer', async (next, request) => {
      const response = await next()
      if (!request.url.includes('/plumbline/probe')) return response
      const report = (await response.json()) as { readonly args: readonly string[] }
      return Response.json({ ...report, args: [report.args.join(' ')] })
    }),
  }),
  latitude('network-reachable-later', 'A pod is reached over the global network 15 seconds after it is RUNNING.', {
    about: 'containers',
    change: part('reachContainer', (next, request, pod, _port, { clock }) => {
      const isFromOutside = new URL(request.url).hostname === 'container'
      const isYoung = clock.now() < (pod?.containerStartedAtMs ?? 0) + 15_000
      return isFromOutside || !isYoung ? next() : next(request, null)
    }),
  }),
]

/** A container responds so long after its start, ms. */
export function respondsAfter(ms: number): Change {
  return part('reachContainer', (next, request, pod, _port, { clock }) => {
    const sinceMs = pod?.containerStartedAtMs ?? null
    const isYoung = sinceMs === null || clock.now() < sinceMs + ms
    return next(request, isYoung ? null : pod)
  })
}

function probed(change: (target: Target) => Partial<NonNullable<Target['probe']>>): NonNullable<Latitude['file']> {
  return (target) => ({ ...target, probe: target.probe === null ? null : { ...target.probe, ...change(target) } })
}

/** The template of a host for each port; `localhost` stands for an IP address, which has no hosts below it. */
function hostOf(url: string): string {
  return url.replace(/:\/\/[\d.]+(?=:|$)/, '://localhost').replace('://', '://{id}-{port}.pods.')
}

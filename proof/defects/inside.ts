import { type ContainerTools, probePort } from '../../reference/index.ts'
import { respondsAfter } from '../latitudes/inside.ts'
import type { Defect } from '../types.ts'
import { all, type Change, defect, part } from './tools.ts'

/** The kinds of mounts, each with the values of its branch; that of network mounts is the plain one. */
const mountKinds: readonly [kind: string, variation: Pick<Defect, 'variation'>][] = [
  ['volume', {}],
  ['persistent', { variation: { branch: 'persistent' } }],
]

/** Containers of pods: arguments, variables, files and the network. */
export const inside: readonly Defect[] = [
  defect('args-not-passed', 'pods.container.args-env', 'args', {
    says: 'The arguments of a pod do not reach its container.',
    observed: '""',
    change: starts(() => ({ args: '' })),
  }),
  defect('args-cut', 'pods.container.args-env', 'args', {
    says: 'Only the first argument of a pod reaches its container.',
    observed: '"x"',
    change: starts(({ args }) => ({ args: args.split(' ', 1).join() })),
  }),
  defect('args-added', 'pods.container.args-env', 'args', {
    says: 'The container gets an argument of the platform before those of the pod.',
    observed: '"--host x y"',
    change: starts(({ args }) => ({ args: `--host ${args}` })),
  }),
  defect('env-not-passed', 'pods.container.args-env', 'env', {
    says: 'A variable of a pod does not reach its container.',
    observed: 'null',
    change: starts(({ env: { PLUMBLINE_ENV: _, ...env } }) => ({ env })),
  }),
  defect('env-cut-at-space', 'pods.container.args-env', 'env', {
    says: 'Variables are cut at the first space.',
    observed: '"0042"',
    change: starts(variables((value) => value.split(' ', 1).join())),
  }),
  defect('args-lost-by-restart', 'pods.container.args-env', 'args', {
    says: 'After a restart the container gets no arguments.',
    observed: '""',
    variation: { history: 'restarted' },
    // The first container has the first disk.
    change: starts(({ disk, args }) => ({ args: disk.endsWith(' 1') ? args : '' })),
  }),
  defect('args-of-creation', 'pods.container.args-env', 'patched-args', {
    says: 'A container gets the arguments that its pod was created with, whatever a PATCH has changed.',
    observed: '"x y"',
    change: startsAsFirst('args'),
  }),
  defect('env-of-creation', 'pods.container.args-env', 'patched-env', {
    says: 'A container gets the variables that its pod was created with, whatever a PATCH has changed.',
    observed: '"0042 = \\"two words\\""',
    change: startsAsFirst('env'),
  }),
  defect('running-before-container', 'pods.lifecycle.running-healthy', 'responds', {
    says: 'A pod is RUNNING while its container does not run.',
    observed: 'no response',
    change: part('reachContainer', (next, request) => next(request, null)),
  }),
  defect('running-two-minutes-early', 'pods.lifecycle.running-healthy', 'responds', {
    says: 'A pod is RUNNING two minutes before its container responds.',
    observed: 'no response',
    change: respondsAfter(120_000),
  }),
  defect('unpullable-running', 'pods.lifecycle.running-healthy', 'not-running', {
    says: 'A pod whose image cannot be pulled becomes RUNNING.',
    observed: 'status RUNNING',
    change: part('isPulled', () => true),
  }),
  defect('unpullable-running-later', 'pods.lifecycle.running-healthy', 'not-running', {
    says: 'A pod whose image cannot be pulled becomes RUNNING when the pull is given up, half a minute later.',
    observed: 'status RUNNING',
    change: part('isPulled', (next, pod, service) => {
      const isPulled = next()
      const { clock, parts } = service
      if (!isPulled) clock.schedule(clock.now() + 30_000, () => parts.enter(pod, 'RUNNING', service))
      return isPulled
    }),
  }),
  defect('restart-keeps-disk', 'pods.action.restart-wipes-disk', 'wiped', {
    says: 'A restart keeps the container disk.',
    observed: 'the file of before the restart',
    change: starts(({ pod }) => ({ disk: `disk ${pod}` })),
  }),
  defect('restart-of-status-only', 'pods.action.restart-wipes-disk', 'restarted', {
    says: 'A restart moves startedAt, and the container goes on.',
    observed: 'the same, or no response',
    change: part('transition', (next, pod, action, { clock }) => {
      if (action === 'restart') pod.startedAtMs = clock.now()
      else next()
    }),
  }),
  defect('second-restart-keeps-disk', 'pods.action.restart-wipes-disk', 'wiped', {
    says: 'Only the first restart of a pod wipes its container disk.',
    observed: 'the file of before the restart',
    variation: { history: 'restarted' },
    change: starts(({ disk }) => ({ disk: disk.replace(/ \d+$/, (number) => ` ${Math.min(2, Number(number))}`) })),
  }),
  defect('start-empties-files', 'pods.action.stop-keeps-disk', 'whole', {
    says: 'After stop and start the files of the container disk are there, and empty.',
    observed: '""',
    change: emptiesFiles(),
  }),
  defect('network-ip-refused', 'pods.global-networking.reachable', 'ip', {
    says: 'Nothing responds at the ip of a networked pod.',
    observed: 'no response',
    change: peers((host) => (/^10\./.test(host) ? null : host)),
  }),
  defect('network-name-unknown', 'pods.global-networking.reachable', 'dns', {
    says: 'Nothing responds at the internalDns of a networked pod.',
    observed: 'no response',
    change: peers((host) => (/^10\./.test(host) ? host : null)),
  }),
  defect('network-ip-of-another-pod', 'pods.global-networking.reachable', 'ip', {
    says: 'The ip of every networked pod leads back to the pod that calls it.',
    observed: 'that of another container',
    change: part('callPeer', (next, request, from, service) =>
      /^http:\/\/10\./.test(request.url) ? service.parts.reachContainer(request, from, probePort, service) : next(),
    ),
  }),
  ...mountKinds.flatMap(([kind, variation]) => [
    defect(`${kind}-not-mounted`, 'pods.mount.mounted', 'mounted', {
      says: `The ${kind} storage of a pod is not in its container.`,
      observed: 'no file',
      ...variation,
      change: mounts(kind, () => null),
    }),
    defect(`${kind}-at-another-path`, 'pods.mount.mounted', 'mounted', {
      says: `The ${kind} storage of a pod is at a path of the platform.`,
      observed: 'no file',
      ...variation,
      change: mounts(kind, (_, storage) => ['/mnt', storage]),
    }),
    defect(`${kind}-lost-by-restart`, 'pods.mount.mounted', 'restart', {
      says: `The ${kind} storage of a pod is empty after a restart.`,
      observed: 'no file',
      ...variation,
      change: mounts(kind, (path, storage, { disk }) => [path, `${storage} ${disk}`]),
    }),
    defect(`${kind}-lost-by-start`, 'pods.mount.mounted', 'start', {
      says: `The ${kind} storage of a pod is empty after stop and start.`,
      observed: 'no file',
      ...variation,
      change: lostByStop(kind),
    }),
    defect(`${kind}-path-of-creation`, 'pods.mount.path-applies', 'applies', {
      says: `The ${kind} storage of a pod stays at the path of its creation, whatever a PATCH has changed.`,
      observed: 'no file',
      ...variation,
      change: startsAsFirst('mounts', kind),
    }),
  ]),
]

/** Containers start with other surroundings. */
function starts(change: (tools: ContainerTools) => Partial<ContainerTools>): Change {
  return part('containerTools', (next) => {
    const tools = next()
    return { ...tools, ...change(tools) }
  })
}

/** A member of the surroundings is always that of the first start of the pod. */
function startsAsFirst(member: 'args' | 'env' | 'mounts', kind = ''): Change {
  return (base) => {
    const first = new Map<string, ContainerTools>()
    return starts((tools) => {
      const known = first.get(tools.pod) ?? tools
      first.set(tools.pod, known)
      return isOfKind(tools, kind) ? { [member]: known[member] } : {}
    })(base)
  }
}

/** True for a container with storage of a kind; for any without one. */
function isOfKind({ mounts }: ContainerTools, kind: string): boolean {
  return kind === '' || Object.values(mounts).some((storage) => storage.startsWith(kind))
}

/** Storage of a kind of mount is at another path, or another storage is at its path. */
function mounts(
  kind: string,
  change: (path: string, storage: string, tools: ContainerTools) => [string, string] | null,
) {
  return starts((tools) => ({
    mounts: Object.fromEntries(
      Object.entries(tools.mounts).flatMap(([path, storage]) => {
        const changed = storage.startsWith(kind) ? change(path, storage, tools) : ([path, storage] as const)
        return changed === null ? [] : [changed]
      }),
    ),
  }))
}

/** Each time that a pod has been EXITED, its storage of a kind is another one. */
function lostByStop(kind: string): Change {
  return (base) => {
    const stops = new Map<string, number>()
    const counted = part('enter', (next, pod, status) => {
      if (status === 'EXITED') stops.set(pod.id, (stops.get(pod.id) ?? 0) + 1)
      next()
    })
    return all(
      counted,
      mounts(kind, (path, storage, { pod }) => [path, `${storage} ${stops.get(pod) ?? 0}`]),
    )(base)
  }
}

/** After stop and start, files are read as empty. */
function emptiesFiles(): Change {
  return (base) => {
    const stopped = new Set<string>()
    const noted = part('enter', (next, pod, status) => {
      if (status === 'EXITED') stopped.add(pod.id)
      next()
    })
    const emptied = part('reachContainer', async (next, request, pod) => {
      const response = await next()
      const isRead = request.method === 'GET' && request.url.includes('/plumbline/file')
      return isRead && response.ok && stopped.has(pod?.id ?? '') ? Response.json({ text: '' }) : response
    })
    return all(noted, emptied)(base)
  }
}

/** Another host than the one that a container calls is reached; null: none. */
function peers(hostOf: (host: string) => string | null): Change {
  return part('callPeer', async (next, request) => {
    const { hostname, port } = new URL(request.url)
    const host = hostOf(hostname)
    if (host === null) throw new Error('no route to host')
    return next(new Request(`http://${host}:${port}/plumbline/probe`))
  })
}

/** Each variable gets another value. */
function variables(change: (value: string) => string): (tools: ContainerTools) => Partial<ContainerTools> {
  return ({ env }) => ({ env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, change(value)])) })
}

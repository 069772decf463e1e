import { splitUrl } from '../http/path.ts'
import { networkOf, presentPort } from '../pods/network.ts'
import type { StoredPod } from '../pods/pod.ts'
import type { PodService } from '../pods/service.ts'
import type { ContainerTools } from './program.ts'

/** A port of a pod as its address names it, and the path and the query below it. */
interface PodPort {
  readonly pod: StoredPod | null
  readonly port: number
  readonly route: string
}

/**
 * Ends the container of a pod, and starts another one if the pod is RUNNING. Only a pod that was EXITED meanwhile keeps its
 * container disk.
 */
export function runContainer(pod: StoredPod, service: PodService): void {
  const { images, parts, style } = service
  pod.container?.stop()
  pod.container = null
  if (pod.status === 'EXITED') {
    pod.isDiskKept = style.exitedDisk === 'kept'
    pod.startedWith = null
  }
  const program = pod.status === 'RUNNING' ? images.get(pod.image) : undefined
  if (program === undefined) return
  if (!pod.isDiskKept) pod.diskNumber++
  pod.isDiskKept = false
  const tools = parts.containerTools(pod, service)
  const former = style.restartedWith === 'former' ? pod.startedWith : null
  pod.startedWith = former === null ? tools : { ...former, disk: tools.disk }
  pod.container = program.start(pod.startedWith)
}

/** The surroundings of a container that is about to start. */
export function containerTools(pod: StoredPod, service: PodService): ContainerTools {
  const { network, persistent } = pod.mounts
  return {
    pod: pod.id,
    args: pod.args,
    env: service.style.extraEnv ? { POD_ID: pod.id, ...pod.env } : pod.env,
    disk: `disk ${pod.id} ${pod.diskNumber}`,
    mounts: Object.fromEntries([
      ...(network ?? []).map(({ path, volumeId }) => [path, `volume ${volumeId}`]),
      ...(persistent === undefined ? [] : [[persistent.path, `persistent ${pod.id}`]]),
    ]),
    call: (request) => service.parts.callPeer(request, pod, service),
  }
}

/** A request of a container to another pod: both are on the global network, and of one account. */
export async function callPeer(request: Request, from: StoredPod, service: PodService): Promise<Response> {
  const { hostname, port } = new URL(request.url)
  const isNamed = (pod: StoredPod) => {
    const { ip, internalDns } = networkOf(pod)
    return pod.globalNetworking && (ip === hostname || internalDns.toLowerCase() === hostname)
  }
  const peer = from.globalNetworking ? [...service.store.of(from.user)].find(isNamed) : undefined
  return service.parts.reachContainer(request, peer ?? null, Number(port), service)
}

/**
 * The response of a container to a request to its port.
 * @throws Error if nothing listens there.
 */
export async function reachContainer(
  request: Request,
  pod: StoredPod | null,
  port: number,
  _service: PodService,
): Promise<Response> {
  const container = pod?.container
  if (container == null || container.port !== port) throw new Error('connection refused')
  return container.fetch(request)
}

const prefix = '/ports/'
/** The beginning of the ip of a forwarded port, of a network that is for documentation only (RFC 5737). */
const forwarded = '192.0.2.'
const proxied = /^https?:\/\/([^/]+)-(\d+)\.pods\.[^/]*/

/** The port of a pod that an absolute URL names, by path, host or forwarded port; null if the URL is of the API. */
export function findPort(url: string, { store }: PodService): PodPort | null {
  const { pathname } = splitUrl(url)
  if (pathname.startsWith(prefix)) {
    const [, , id = '', port = ''] = pathname.split('/', 4)
    const begin = url.indexOf(prefix) + prefix.length + id.length + 1 + port.length
    return { pod: store.get(id) ?? null, port: Number(port), route: url.slice(begin) }
  }
  const host = proxied.exec(url)
  if (host !== null) {
    // Names of hosts have no case.
    const id = host[1]?.toLowerCase()
    const pod = [...store.all()].find((one) => one.id.toLowerCase() === id) ?? null
    return { pod, port: Number(host[2]), route: url.slice(host[0].length) }
  }
  if (!url.includes(`://${forwarded}`)) return null
  const { hostname, origin, port } = new URL(url)
  const route = url.slice(origin.length)
  for (const pod of store.all()) {
    for (const [place, entry] of pod.ports.entries()) {
      const shown = presentPort(entry, place, pod, true)
      const isMeant = shown.ip === hostname && shown.public === Number(port)
      if (isMeant) return { pod, port: shown.private ?? 0, route }
    }
  }
  return { pod: null, port: 0, route }
}

/** True for the ip of a forwarded port. */
export function isForwarded(hostname: string): boolean {
  return hostname.startsWith(forwarded)
}

/** Serves a request from outside to a port of a pod. A proxy answers in place of a container that does not listen. */
export async function servePort(
  request: Request,
  { pod, port, route }: PodPort,
  service: PodService,
): Promise<Response> {
  const isExposed = pod?.ports.some((entry) => Number.parseInt(entry, 10) === port) ?? false
  const { headers, method } = request
  const body = method === 'GET' || method === 'HEAD' ? null : await request.text()
  const passed = new Request(`http://container${route}`, { method, headers, body })
  try {
    return await service.parts.reachContainer(passed, isExposed ? pod : null, port, service)
  } catch (error) {
    if (service.style.portClosed === 'reset') throw error
    return new Response('bad gateway', { status: service.style.portClosed })
  }
}

import type { PodRuntimePort } from '../../generated/api.ts'
import type { StoredPod } from './pod.ts'

const FIRST_PUBLIC_PORT = 20_000
const PUBLIC_PORTS = 40_000

/** The addresses of a pod on the global network. */
export function networkOf({ id, n }: StoredPod): { readonly ip: string; readonly internalDns: string } {
  const host = n + 1
  const ip = `10.${(host >> 16) & 255}.${(host >> 8) & 255}.${host & 255}`
  return { ip, internalDns: `${id}.pods.internal` }
}

/** Ports other than http are forwarded; http goes through a proxy and has no public number. */
export function presentPort(entry: string, place: number, pod: StoredPod, isAssigned: boolean): PodRuntimePort {
  const { number, protocol } = readPort(entry)
  const isForwarded = isAssigned && protocol !== 'http'
  return {
    private: number,
    public: isForwarded ? FIRST_PUBLIC_PORT + ((pod.n * 31 + place) % PUBLIC_PORTS) : null,
    type: protocol,
    ip: isForwarded ? `192.0.2.${1 + (pod.n % 254)}` : null,
  }
}

/** A port of a container and its protocol, from an entry such as `8888/http`. */
function readPort(entry: string): { readonly number: number; readonly protocol: string } {
  const slash = entry.indexOf('/')
  return { number: Number(entry.slice(0, slash)), protocol: entry.slice(slash + 1) }
}

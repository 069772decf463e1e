import type { ProbePlane } from '../../../target/types.ts'
import type { ApiResponse } from '../../client/api-response.ts'
import { raw } from '../../client/body.ts'
import type { Call, Caller } from '../../client/caller.ts'
import { type Members, membersOf } from '../../exchange/read.ts'
import { filledIn } from './section.ts'

/** The variable that holds the token of a pod, and the header that carries it. */
const tokenVariable = 'PLUMBLINE_PROBE'
const tokenHeader = 'Plumbline-Probe'

/** The probes of an owner's pods. No key is sent to them. `token`: what permits the owner, and nobody else, to use the files and the network of its pods. */
export function createProbeClient(caller: Caller, { address, image, port }: ProbePlane, token: string) {
  const privatePort = port.replace(/\/.*$/, '')
  const call = (operation: string, at: string, more: Call = {}): Promise<ApiResponse> =>
    caller.call(operation, { ...more, at, authorization: null, headers: [[tokenHeader, token]] })
  return {
    ...caller,
    /** Members of a creation body that make a pod with the probe; `env` are further variables. */
    body: (env: Readonly<Record<string, unknown>> = {}) => ({
      image,
      ports: [port],
      env: { ...env, [tokenVariable]: token },
    }),
    /** The port on which it listens in its network. */
    port: Number(privatePort),
    /** The address of the probe in a pod, if the target file has a template for it. */
    addressById: (id: string): string | null => (address === null ? null : filledIn(address, id, privatePort)),
    /** The same by the ports that a pod shows; null if it does not show the port. */
    addressIn(pod: Members): string | null {
      const ports = membersOf(pod.runtime)?.ports
      for (const shown of Array.isArray(ports) ? ports : []) {
        const { private: own, public: outer, ip } = membersOf(shown) ?? {}
        if (own === Number(privatePort) && typeof outer === 'number' && typeof ip === 'string') {
          return `http://${ip.includes(':') ? `[${ip}]` : ip}:${outer}`
        }
      }
      return null
    },
    /** `{v, start, args, env}`: the start of the container, its arguments, and those of these variables that it has. */
    report: (at: string, variables: readonly string[] = []) =>
      call('reportProbe', at, variables.length === 0 ? {} : { query: { env: variables.join() } }),
    /** 200 with `{text}`, or 404 if there is no such file. */
    readFile: (at: string, path: string) => call('readProbeFile', at, { query: { path } }),
    /** 404 if its folder does not exist. */
    writeFile: (at: string, path: string, text: string) =>
      call('writeProbeFile', at, { query: { path }, body: raw(text), contentType: 'text/plain' }),
    removeFile: (at: string, path: string) => call('removeProbeFile', at, { query: { path } }),
    /** `{start}`: that of the probe at another host of the network of this pod; null if none responds. */
    callPeer: (at: string, host: string) => call('callFromProbe', at, { body: { host, port: Number(privatePort) } }),
  }
}

import type { AddressInfo } from 'node:net'
import type { Call } from '../../../worker/program.ts'
import { createHost } from '../host.ts'

/** The network of containers that are processes: an HTTP proxy on this machine, with a name for each container. */
export async function createNetwork() {
  const calls = new Map<string, Call>()
  const answer = async (request: Request): Promise<Response> => {
    const [, basic = ''] = /^Basic (.+)$/.exec(request.headers.get('proxy-authorization') ?? '') ?? []
    const [name = ''] = Buffer.from(basic, 'base64').toString().split(':', 1)
    try {
      const response = await calls.get(name)?.(new Request(request.url))
      return response ?? new Response('unknown container', { status: 407 })
    } catch {
      return new Response('no route to host', { status: 502 })
    }
  }
  const server = createHost(answer, '127.0.0.1')
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return {
    /** The address of the proxy for a container, whose requests go to `call`. */
    add(name: string, call: Call): string {
      calls.set(name, call)
      return `http://${name}:-@127.0.0.1:${port}`
    },
    remove: (name: string) => void calls.delete(name),
    close(): void {
      server.closeAllConnections()
      server.close()
    },
  }
}

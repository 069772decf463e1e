import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'

/** Lets a server of a test listen on this machine. Returns its address; it ends with the test file at the latest. */
export async function listening(server: Server, host = '127.0.0.1'): Promise<string> {
  server.listen(0, host).unref()
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** A port of this machine that nothing uses. */
export async function freePort(): Promise<number> {
  const server = createServer()
  const { port } = new URL(await listening(server))
  server.close()
  await once(server, 'close')
  return Number(port)
}

import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'

/** A port of this machine that nothing uses. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** True if a process runs; one that has ended and was not reaped does not. */
export function isRunning(id: number): boolean {
  const file = `/proc/${id}/stat`
  if (existsSync('/proc/self/stat')) return existsSync(file) && !/\) [ZX] /.test(readFileSync(file, 'utf8'))
  try {
    return process.kill(id, 0)
  } catch {
    return false
  }
}

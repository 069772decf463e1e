import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const bin = join(import.meta.dirname, '..', 'bin', 'plumbline.js')

/**
 * Starts `plumbline serve` on a free port. `log` gets each line of its log.
 * @returns its address, without a slash at the end, and a function that ends it.
 */
export async function startServing(flags = [], log = (line) => process.stderr.write(`${line}\n`)) {
  const server = spawn(process.execPath, [bin, 'serve', '--port', '0', ...flags], { stdio: ['ignore', 'pipe', 'pipe'] })
  createInterface(server.stderr).on('line', log)
  const exited = once(server, 'exit')
  const url = await new Promise((found, failed) => {
    exited.then(([status]) => failed(new Error(`plumbline serve exited ${status}`)))
    createInterface(server.stdout).once('line', (line) => found(/http:[^,]+/.exec(line)?.[0]))
  })
  const end = async () => {
    server.kill('SIGTERM')
    const [status] = await exited
    if (status !== 0) throw new Error(`plumbline serve exited ${status} instead of 0 after SIGTERM`)
  }
  return { url, end }
}

import { spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { defaultKeys } from '../../reference/auth/accounts.ts'
import { serveHere } from '../shared/testing/served.ts'

const main = join(import.meta.dirname, '..', 'main.ts')
const timeout = 120_000

test.each([
  ['-f 8', 'a file may not grow any further'],
  ['-n 34', 'too many files and connections are open'],
  ['-n 35', 'too many files and connections are open'],
])('with ulimit %s a run is incomplete, says why, and leaves nothing', { timeout }, async (limit, said) => {
  const { cwd, fetch } = await serveHere({})
  const words = [main, 'check', '--target', 'target.yaml', '--only', 'pods.action.**', '--seed', '1']
  const child = spawn('sh', ['-c', `ulimit ${limit}; exec "$0" "$@"`, process.execPath, ...words], { cwd })
  let err = ''
  child.stderr.on('data', (text) => {
    err += text
  })
  const code = await new Promise((ended) => child.once('close', ended))
  expect(err).toContain(`plumbline: ${said}`)
  expect(code).toBe(3)
  const headers = { authorization: `Bearer ${defaultKeys.full}` }
  const listed = await (await fetch(new Request('http://reference.test/v2/pods', { headers }))).json()
  expect(listed).toEqual({ pods: [] })
  const runs = join(cwd, '.plumbline', 'runs')
  // A process that was never started leaves the ledger that nothing was written to.
  if (limit === '-f 8') expect(existsSync(runs) ? readdirSync(runs) : []).toEqual([])
})

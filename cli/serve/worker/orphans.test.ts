import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { noPython, python } from '../../../harness/testing/workers.ts'
import { isAlive, owningProcess } from '../../shared/process.ts'
import { startReceiver } from './testing/receiver.ts'
import { drive } from './testing/served.ts'

const worker = fileURLToPath(new URL('../../../suites/worker', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'plumbline-orphans-'))

/** The conformance worker, which leaves its process id as the name of a file. */
const noting = `import os, runpy, sys
open(os.path.join(sys.argv[1], str(os.getpid())), "w").close()
runpy.run_path(${JSON.stringify(worker)}, run_name="__main__")
`

test.for<[signal: NodeJS.Signals, code: number | null]>([
  ['SIGINT', 0],
  ['SIGTERM', 0],
  ['SIGKILL', null],
])('%s leaves no worker process behind', { timeout: 120_000 }, async ([signal, code], { skip }) => {
  skip(python === null, noPython)
  const noted = mkdtempSync(join(folder, 'ids-'))
  const script = join(folder, 'noting.py')
  writeFileSync(script, noting)
  const receiver = await startReceiver()
  const served = await drive(['--worker', `'${python}' '${script}' '${noted}'`], receiver)
  onTestFinished(() => {
    served.child.kill('SIGKILL')
    receiver.close()
  })
  const held = await served.submit([{ deaf: true }, { hold: 'never' }])
  await served.submit([{ output: 1 }])
  const left = readdirSync(noted).map((id) => owningProcess(Number(id)))
  expect(left).toHaveLength(2)
  expect(left.every(isAlive)).toBe(true)
  expect(await served.end(signal)).toBe(code)
  // After SIGKILL nobody is left to end them: they see that their standard input has ended.
  while (left.some(isAlive)) await sleep(5)
  expect(held.heard()).toHaveLength(2)
})

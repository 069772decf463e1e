import { once } from 'node:events'
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { noPython, python } from '../../../harness/testing/workers.ts'
import { defaultKeys } from '../../../reference/index.ts'
import { isAlive, owningProcess } from '../../shared/process.ts'
import { createCommands } from '../../shared/testing/commands.ts'

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
  const commands = createCommands('orphans')
  onTestFinished(commands.close)
  const { child, url } = await commands.serve(['--worker', `'${python}' '${script}' '${noted}'`])
  const headers = { authorization: `Bearer ${defaultKeys.full}`, 'content-type': 'application/json' }
  const submit = async (operation: string, ...steps: object[]) => {
    const body = JSON.stringify({ input: { plumbline: { v: 1, steps } } })
    return (await fetch(`${url}/v2/dedicated/${operation}`, { method: 'POST', headers, body })).json()
  }
  await submit('run', { deaf: true }, { sleepMs: 600_000 })
  expect(await submit('runsync', { output: 1 })).toMatchObject({ status: 'COMPLETED' })
  const left = readdirSync(noted).map((id) => owningProcess(Number(id)))
  expect(left).toHaveLength(2)
  expect(left.every(isAlive)).toBe(true)
  child.kill(signal)
  expect((await once(child, 'close'))[0]).toBe(code)
  // After SIGKILL nobody is left to end them: they see that their standard input has ended.
  while (left.some(isAlive)) await sleep(5)
})

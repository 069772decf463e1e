import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { UsageError } from '../errors.ts'
import { owningProcess } from '../process.ts'
import { openOutput } from '../records/record.ts'
import { takeAway, withOutput } from './lock.ts'

let cwd: string

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'plumbline-lock-'))
})

test('a folder is one run at a time, and is given back at the end of it, failures included', async () => {
  const taken = withOutput(cwd, 'out', async () => {
    expect(openOutput(cwd, 'out')).toBe(join(cwd, 'out'))
    const message = `--out ./out is in use by process ${process.pid}; wait until it ends, or name another folder`
    await expect(withOutput(cwd, './out', async () => 'second')).rejects.toThrow(new UsageError(message))
    expect(await withOutput(cwd, 'other', async () => 'beside')).toBe('beside')
    throw new Error('failed')
  })
  await expect(taken).rejects.toThrow('failed')
  expect(readdirSync(join(cwd, 'out'))).toEqual([])
  expect(await withOutput(cwd, 'out', async () => 'next')).toBe('next')
})

test('without --out nothing is taken', async () => {
  expect(await withOutput(cwd, undefined, async () => readdirSync(cwd))).toEqual([])
})

test('what a process that is gone has left is taken over, and is no file of others', async () => {
  const { pid } = spawnSync(process.execPath, ['--version'])
  put({ host: hostname(), id: pid, began: null })
  expect(openOutput(cwd, 'out')).toBe(join(cwd, 'out'))
  put({ ...owningProcess(process.pid), host: hostname(), began: 'at another time' })
  // Where the system does not say when a process began, one that got the same id is taken for it.
  if (!existsSync('/proc/self/stat')) put({ host: hostname(), id: pid, began: null })
  expect(await withOutput(cwd, 'out', async () => 'taken')).toBe('taken')
})

test('of several that found the same dead holder, only the first takes its lock away', () => {
  const file = join(cwd, 'out', '.plumbline-lock')
  const dead = JSON.stringify({ host: hostname(), id: 7, began: null })
  put({ host: hostname(), id: 7, began: null })
  takeAway(file, dead, 'out')
  expect(readdirSync(join(cwd, 'out'))).toEqual([])
  takeAway(file, dead, 'out')
  put({ host: hostname(), id: 8, began: null })
  takeAway(file, dead, 'out')
  expect(readdirSync(join(cwd, 'out'))).toEqual(['.plumbline-lock'])
  expect(readFileSync(file, 'utf8')).toContain('"id":8')
})

test('one that died while it took a lock away holds nobody up', async () => {
  const { pid } = spawnSync(process.execPath, ['--version'])
  const dead = { host: hostname(), id: pid, began: null }
  put(dead)
  const file = join(cwd, 'out', '.plumbline-lock')
  const claim = `${file}-${createHash('sha256').update(JSON.stringify(dead)).digest('hex').slice(0, 16)}`
  writeFileSync(claim, JSON.stringify(dead))
  expect(await withOutput(cwd, 'out', async () => 'taken')).toBe('taken')
  writeFileSync(claim, JSON.stringify({ ...owningProcess(process.pid), host: hostname() }))
  put(dead)
  await expect(withOutput(cwd, 'out', async () => 'taken')).rejects.toThrow(`in use by process ${process.pid}`)
})

test('of processes that find the lock of a dead one at once, one has the folder', async () => {
  const { pid } = spawnSync(process.execPath, ['--version'])
  const runs = Array.from({ length: 3 }, () =>
    spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', taking, cwd], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    }),
  )
  onTestFinished(() => {
    for (const run of runs) run.kill('SIGKILL')
  })
  const said = () => Promise.all(runs.map((run) => new Promise((heard) => run.once('message', heard))))
  await said()
  for (let round = 0; round < 50; round++) {
    put({ host: hostname(), id: pid, began: null, lock: round })
    const outcomes = said()
    for (const run of runs) run.send('take')
    expect((await outcomes).filter((outcome) => outcome === 'taken')).toHaveLength(1)
    const released = said()
    for (const run of runs) run.send('release')
    await released
    expect(readdirSync(join(cwd, 'out'))).toEqual([])
  }
})

test('a lock that is another one by now is not given back', async () => {
  await withOutput(cwd, 'out', async () => put({ host: 'elsewhere', id: 7, began: null }))
  expect(readdirSync(join(cwd, 'out'))).toEqual(['.plumbline-lock'])
})

test.each([
  [{ host: 'elsewhere', id: 7, began: null }, /process 7 on elsewhere \(if that has ended, delete .*plumbline-lock\)/],
  ['', /the run that wrote .*plumbline-lock \(delete that file if no run is active\)/],
])('%j, of which nobody can tell, is not taken over', async (holder, message) => {
  put(holder)
  await expect(withOutput(cwd, 'out', async () => 'taken')).rejects.toThrow(message)
})

/** A process that takes the folder when it is told to, and gives it back when it is told to. */
const taking = `import { withOutput } from ${JSON.stringify(import.meta.resolve('./lock.ts'))}
  let release = () => process.send('released')
  process.on('message', (word) => {
    if (word === 'release') return release()
    withOutput(process.argv[1], 'out', () => new Promise((end) => {
      release = end
      process.send('taken')
    })).then(() => process.send('released'), ({ message }) => process.send(message)).finally(() => {
      release = () => process.send('released')
    })
  })
  process.send('ready')`

function put(holder: unknown): void {
  mkdirSync(join(cwd, 'out'), { recursive: true })
  writeFileSync(join(cwd, 'out', '.plumbline-lock'), holder === '' ? '' : JSON.stringify(holder))
}

import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createCommands, until } from '../shared/testing/commands.ts'

const { cwd, run, start, close } = createCommands('watch')
const usual = ['check', '--reference', '--only', 'pods.patch.null', '--quiet']

afterAll(close)

test('a run is repeated when a file is replaced, and Ctrl-C keeps the last exit code', {
  timeout: 120_000,
}, async () => {
  writeFileSync(join(cwd, 'built'), '1')
  const { child, ended, said } = start([...usual, '--watch', 'built'])
  const runs = () => said().split('conformant: ').length - 1
  await until(() => said().includes('watching built; Ctrl-C ends with exit code 0'))
  writeFileSync(join(cwd, 'beside'), '1')
  writeFileSync(join(cwd, 'new'), '2')
  renameSync(join(cwd, 'new'), join(cwd, 'built'))
  await until(() => said().split('watching built').length === 3)
  child.kill('SIGINT')
  expect(await ended).toMatchObject({ code: 0 })
  expect(runs()).toBe(2)
})

test('a folder is watched without what the run writes; a faulty target file waits', { timeout: 120_000 }, async () => {
  const file = (port: number) => `plumbline: 1\npods: http://127.0.0.1:${port}\nkeys: {full: plumbline-example-full}\n`
  mkdirSync(join(cwd, 'all'))
  writeFileSync(join(cwd, 'all', 'target.yaml'), file(1))
  const words = ['check', '--target', 'all/target.yaml', '--only', 'pods.patch.null', '--quiet']
  const { child, ended, said } = start([...words, '--out', 'all/report', '--watch', 'all'])
  await until(() => said().includes('watching all; Ctrl-C ends with exit code 5'))
  writeFileSync(join(cwd, 'all', 'target.yaml'), 'plumbline: 1\n')
  await until(() => said().includes('watching all; Ctrl-C ends with exit code 2'))
  writeFileSync(join(cwd, 'all', 'target.yaml'), file(2))
  await until(() => said().split('exit code 5').length === 3)
  child.kill('SIGINT')
  expect(await ended).toMatchObject({ code: 5 })
  expect(said().match(/^all changed$/gm)).toHaveLength(2)
})

test('a path that does not exist is refused', async () => {
  const { code, said } = await run([...usual, '--watch', 'none'])
  expect(said).toContain('plumbline: --watch none does not exist; name a file or a folder')
  expect(code).toBe(2)
})

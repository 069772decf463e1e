import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { createCommands } from '../load/testing/commands.ts'

const commands = createCommands('cost')
const { cwd } = commands

afterAll(() => commands.close())

test('a run that comes to more than its plan ends where it may cost no more', { timeout: 120_000 }, async () => {
  const served = await commands.serve(['--clock', 'control', '--latitude', 'life-slow'])
  const target = parse(readFileSync(join(cwd, served.target), 'utf8'))
  writeFileSync(join(cwd, 'priced.yaml'), stringify({ ...target, budget: { podPricePerHour: 1_000, scenarios: 1 } }))
  const only = ['--only', 'pods.action.exited.*', '--only', 'pods.patch.answer']
  const words = ['check', '--target', 'priced.yaml', '--max-cost', '40', '--out', 'out', ...only]
  const { code, said } = await commands.start(words).ended
  expect(code).toBe(3)
  expect(said).toContain('\nestimated cost: about 0.22 USD')
  expect(said).toContain('unverified: not done when the run had cost 40 USD')
  expect(said).not.toContain('still there')
  const replayed = await commands.start(['replay', 'out', '--out', 'again']).ended
  expect(replayed.code).toBe(3)
  expect(readFileSync(join(cwd, 'again', 'results.json'))).toEqual(readFileSync(join(cwd, 'out', 'results.json')))
})

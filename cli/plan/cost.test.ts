import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { createCommands } from '../shared/testing/commands.ts'

const commands = createCommands('cost')
const { cwd } = commands

afterAll(() => commands.close())

/** The rules of this file at a price of their own, against a reference whose pods are slow by its controlled clock. */
async function priced(name: string, maxCost: number, pods: object = {}) {
  const served = await commands.serve(['--clock', 'control', '--latitude', 'life-slow'])
  const target = parse(readFileSync(join(cwd, served.target), 'utf8'))
  const budget = { podPricePerHour: 1_000, scenarios: 1 }
  writeFileSync(join(cwd, `${name}.yaml`), stringify({ ...target, pods: { ...target.pods, ...pods }, budget }))
  const only = ['--only', 'pods.action.exited.*', '--only', 'pods.patch.answer']
  const words = ['check', '--target', `${name}.yaml`, '--max-cost', String(maxCost), '--out', name, ...only]
  return commands.run(words)
}

test('what passes on a controlled clock costs nothing', { timeout: 120_000 }, async () => {
  const { code, said } = await priced('moved', 20)
  expect(said).toMatch(/\nestimated cost: about 0\.[0-4]\d USD/)
  expect(said).not.toContain('not done')
  expect(code).toBe(0)
})

test('a run that comes to more than its plan ends where it may cost no more', { timeout: 120_000 }, async () => {
  const slow = [process.execPath, '-e', 'setTimeout(() => {}, 5_000)']
  const { code, said } = await priced('slow', 0.5, { statuses: { EXITED: { actions: [], hook: slow } } })
  expect(code).toBe(3)
  expect(said).toMatch(/\nestimated cost: about 0\.[0-4]\d USD/)
  expect(said).toContain('unverified: not finished: the run had cost 0.5 USD')
  expect(said).not.toContain('could not be')
  const replayed = await commands.run(['replay', 'slow', '--out', 'again'])
  expect(replayed.code).toBe(3)
  expect(readFileSync(join(cwd, 'again', 'results.json'))).toEqual(readFileSync(join(cwd, 'slow', 'results.json')))
})

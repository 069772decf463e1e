import { appendFileSync, cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createCommands } from '../shared/testing/commands.ts'

const failing = 'pods.action.exited.stop'
const { cwd, run, serve, close } = createCommands('accept')
const until = ['--until', '2099-12-31', '--reason']
let target: string

beforeAll(async () => {
  ;({ target } = await serve(['--clock', 'control', '--defect', 'exited-stop-accepted']))
  appendFileSync(join(cwd, target), '# the end\n')
  cpSync(join(cwd, target), join(cwd, 'other.yaml'))
  writeFileSync(join(cwd, 'other.yaml'), file(target).replace(/^name: .*$/m, 'name: another one'))
  const only = ['--only', failing, '--only', 'auth.pods.missing']
  expect(await run(['check', '--target', target, ...only, '--out', 'red'])).toMatchObject({ code: 1 })
  expect(await run(['check', '--reference', ...only, '--out', 'clean'])).toMatchObject({ code: 0 })
}, 120_000)

afterAll(close)

describe('wrong input is refused, and changes no file', () => {
  test.each<[words: string, message: string]>([
    ['red --until 2099-12-31', "required option '--reason <text>' not specified"],
    ['red --reason x --until soon', 'Expected a day as YYYY-MM-DD, such as 2027-01-31.'],
    ['red --reason x --until 2099-02-30', 'Expected a day as YYYY-MM-DD, such as 2027-01-31.'],
    ['red --reason x --until 2020-01-01', '--until 2020-01-01 is in the past; give today, '],
    ['none --reason x --until 2099-12-31', 'none does not exist'],
    [
      'red auth.pods.mising --reason x --until 2099-12-31',
      'unknown rule auth.pods.mising; did you mean auth.pods.missing?',
    ],
    [
      'red auth.pods.missing --reason x --until 2099-12-31',
      'auth.pods.missing is passed in red; only rules that failed',
    ],
    ['red pods.delete --reason x --until 2099-12-31', 'pods.delete was not selected in red'],
    [
      'red --reason x --until 2099-12-31 --target other.yaml',
      'other.yaml is the target file of another one, and red judged the reference implementation; name its file with',
    ],
    ['red --reason x --until 2099-12-31 --target none.yaml', 'none.yaml: no such target file'],
  ])('%s', async (words, message) => {
    const [before, other] = [file(target), file('other.yaml')]
    const { code, said } = await run(['accept', ...words.split(' ')])
    expect(said).toContain(message)
    expect(code).toBe(2)
    expect([file(target), file('other.yaml')]).toEqual([before, other])
  })
})

test('what failed is accepted, once, and its comments stay', { timeout: 120_000 }, async () => {
  const before = file(target)
  expect(await run(['accept', 'clean', ...until, 'x'])).toMatchObject({ code: 0 })
  expect(file(target)).toBe(before)
  const first = await run(['accept', 'red', ...until, 'ticket 12'])
  expect(first).toMatchObject({ code: 0, said: expect.stringContaining(`accepted  ${failing}, clause `) })
  const entry =
    /known:\n {2}- rule: pods\.action\.exited\.stop\n {4}clause: \S+\n {4}reason: ticket 12\n {4}expires: 2099-12-31\n/
  expect(file(target)).toMatch(entry)
  expect(file(target)).toContain('# the end\n')
  const second = await run(['accept', 'red', failing, ...until, 'ticket 13'])
  expect(second).toMatchObject({ code: 0, said: expect.stringContaining(`accepted  ${failing}, clause `) })
  expect(file(target).match(/rule: pods/g)).toHaveLength(1)
  const again = await run(['check', '--target', target, '--only', failing, '--quiet'])
  expect(again).toMatchObject({ code: 0, said: expect.stringContaining('conformant with known failures') })
})

function file(name: string): string {
  return readFileSync(join(cwd, name), 'utf8')
}

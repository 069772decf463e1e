import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCommands } from '../cli/shared/testing/commands.ts'
import { runHere } from '../cli/shared/testing/in-process.ts'
import type { Results } from '../results/types.ts'

// A vendor's project with three rules, of which acme.pods.quick cannot fail. Each command is a process, because it loads
// the vendor's files.

const rules = join(import.meta.dirname, 'testing', 'acme', 'rules')
const commands = createCommands('vendor')
const run = (...args: readonly string[]) => commands.start(args).ended
afterAll(() => commands.close())

describe('a run with rules of a vendor', () => {
  const checked = ['check', '--reference', '--rules', rules, '--only', 'acme.*', '--only', 'pods.list.full-shape']
  let end: Awaited<ReturnType<typeof run>>
  beforeAll(async () => {
    end = await run(...checked, '--seed', '1', '--out', 'run')
  })

  it('judges them beside those of the project', () => {
    expect(end).toMatchObject({ code: 0 })
    const results = JSON.parse(readFileSync(join(commands.cwd, 'run/results.json'), 'utf8')) as Results
    const own = results.rules.filter(({ area }) => area === 'acme')
    expect(own.map(({ id, verdict }) => `${id} ${verdict}`)).toEqual([
      'acme.pods.listed-at-once passed',
      'acme.pods.gpu-count passed',
      'acme.pods.quick passed',
    ])
    expect(results.rules.map(({ id }) => id)).toContain('pods.list.full-shape')
    expect(readFileSync(join(commands.cwd, 'run/report.html'), 'utf8')).toContain('acme.pods.quick')
  })

  it('is judged again by replay', async () => {
    const again = await run('replay', 'run', '--rules', rules)
    expect(again).toMatchObject({ code: 0, said: expect.stringContaining('results.json beside the record matches') })
  })

  it('is not judged again without them', async () => {
    const { code, said } = await run('replay', 'run')
    expect({ code, said: said.split('; ')[1] }).toEqual({
      code: 2,
      said: `name the folder of its rules, which was ${JSON.stringify(rules)}, with --rules\n`,
    })
  })
})

it('prove refuses exactly the rule that cannot fail', async () => {
  const { code, said } = await run('prove', '--rules', rules, '--quiet')
  expect(code).toBe(1)
  expect(said.split('\n').filter((line) => /^(defect|no defect|on|acme)/.test(line))).toEqual([
    'defect acme-list-slow is not found by acme.pods.quick in its clause quick: expected "no response", observed "passed"',
    'no defect breaks clause quick of acme.pods.quick; add one',
  ])
})

it('prove passes the other rules', async () => {
  const { code, said } = await run('prove', '--rules', rules, '--only', '*.gpu-count', '--only', '*.listed-at-once')
  expect({ code, last: said.trim().split('\n').at(-1) }).toEqual({
    code: 0,
    last: 'proven: 8 of 8 defects found, 0 of 0 latitudes judged as expected',
  })
})

const row = (id: string, more = '') =>
  `- { id: ${id}, area: ${id.split('.')[0]}, profile: core, level: must, basis: stated, source: Handbook, says: "A."${more} }\n`

it('prove names a missing defect and judges the reference', async () => {
  const folder = folderOf({
    'a.yaml': row('acme.pods.none'),
    'a.ts': `import { defineRule } from 'plumbline-conformance'
      defineRule('acme.pods.none', async ({ check, pods }) => {
        check('listed').status(await pods.list(), 404)
      })`,
  })
  const { code, said } = await run('prove', '--rules', folder, '--quiet')
  expect({ code, lines: said.trim().split('\n') }).toEqual({
    code: 1,
    lines: [
      'acme.pods.none does not pass on the reference: failed (listed: expected status 404; observed status 200)',
      'no defect breaks acme.pods.none; add one for each of its clauses',
      'no defect breaks clause listed of acme.pods.none; add one',
      'not proven (3 faults): 0 of 0 defects found, 0 of 0 latitudes judged as expected',
    ],
  })
})

describe('a folder is refused', () => {
  it.each([
    ['without rules', {}, 'FOLDER has no rules; write their rows into a .yaml file there'],
    [
      'with an area of the project',
      { 'a.yaml': row('pods.quick') },
      'rule pods.quick: "pods" begins ids of Plumbline; begin yours with another name',
    ],
    [
      'with a plane of the project',
      { 'a.yaml': row('probe.quick') },
      'rule probe.quick: "probe" begins ids of Plumbline; begin yours with another name',
    ],
    [
      'with a row without a function',
      { 'a.yaml': row('acme.quick') },
      'rule acme.quick has a row and no function; define it in a .ts or .js file of FOLDER',
    ],
    [
      'with an unknown need',
      { 'a.yaml': row('acme.quick', ', needs: [volum]') },
      'rule acme.quick: unknown need "volum"; did you mean volume?',
    ],
  ])('%s', async (_, files, sentence) => {
    const { folder, refused } = await refusedBy(files)
    expect(refused).toEqual({ code: 2, out: '', err: `plumbline: --rules: ${sentence.replace('FOLDER', folder)}\n` })
  })

  it.each([
    [{ 'a.yaml': '- {id: acme.quick' }, /^plumbline: a.yaml of .+ is not YAML: /],
    [{ 'a.yaml': row('acme.quick', ', lasts: 5s') }, /^plumbline: .+a.yaml, rule acme.quick: unknown key "lasts"/],
    [
      { 'a.yaml': row('acme.quick'), 'a.js': 'throw new Error("no disk")' },
      /^plumbline: a.js of .+ cannot be loaded: no disk/,
    ],
  ])('with files such as %j', async (files, sentence) => {
    const { refused } = await refusedBy(files)
    expect(refused).toMatchObject({ code: 2, err: expect.stringMatching(sentence) })
  })

  it('with a function without a row', async () => {
    const folder = folderOf({
      'a.yaml': row('acme.quick'),
      'a.ts': `import { defineRule } from 'plumbline-conformance'
        for (const id of ['acme.quick', 'acme.slow']) defineRule(id as string, async () => {})`,
    })
    expect(await run('check', '--reference', '--rules', folder)).toEqual({
      code: 2,
      said: `plumbline: --rules: rule acme.slow has a function and no row; add the row to a .yaml file of ${folder}\n`,
    })
  })

  it('that is not there', async () => {
    const { code, err } = await runHere(['prove', '--rules', 'nowhere'], { cwd: commands.cwd })
    expect({ code, err }).toEqual({
      code: 2,
      err: 'plumbline: --rules nowhere: no such folder; name one with rules\n',
    })
  })

  async function refusedBy(files: Readonly<Record<string, string>>) {
    const folder = folderOf(files)
    return { folder, refused: await runHere(['check', '--reference', '--rules', folder], { cwd: commands.cwd }) }
  }
})

function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'plumbline-rules-'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

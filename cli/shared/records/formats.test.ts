import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { UsageError } from '../errors.ts'
import { runHere } from '../testing/in-process.ts'
import { openFormats, parseFormats } from './formats.ts'

let cwd: string
const rule = 'pods.action.running.stop'
const judged = ['check', '--reference', '--only', rule, '--seed', '8']

beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'plumbline-formats-'))
  mkdirSync(join(cwd, 'report'))
  writeFileSync(join(cwd, 'file'), '')
})

describe('formats', () => {
  test.each<[given: string[], printed: string[], files: [string, string][]]>([
    [[], [], []],
    [['json'], ['json'], []],
    [['text', 'github'], ['text', 'github'], []],
    [['sarif=a=b.sarif', 'json'], ['json'], [['sarif', 'a=b.sarif']]],
  ])('%j are read', (given, printed, files) => {
    expect(parseFormats(given)).toEqual({ printed, files: files.map(([format, name]) => ({ format, name })) })
  })

  test.each([
    [['foo'], 'unknown format "foo"; known: text, json, junit, sarif, markdown, ctrf, github'],
    [['junitt=a.xml'], 'unknown format "junitt"; did you mean junit?'],
    [['json', 'json'], '--format json is given twice; give it once, or once with a file'],
    [
      ['text', 'json'],
      '--format text and --format json would both write to standard output; give one of them a file, such as --format json=FILE',
    ],
    [['json='], '--format json= is empty; name a file'],
    [['json=report'], '--format json=report is a folder; name a file'],
    [['json=file/a'], '--format json=file/a cannot be written (ENOTDIR); name another file'],
    [['json=a', 'sarif=./a'], '--format sarif=./a and another format name the same file; name two'],
    [
      ['json=report/results.json'],
      '--format json=report/results.json is a file that --out report writes; name another file',
    ],
  ])('%j are refused', (given, message) => {
    expect(() => openFormats(parseFormats(given), cwd, 'report')).toThrow(new UsageError(message))
  })

  test('are refused before anything runs', async () => {
    const seen = await runHere([...judged, '--format', 'foo'], { cwd })
    expect(seen).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringMatching(/^plumbline: unknown format "foo"; .*\n$/),
    })
  })
})

describe('a check', () => {
  test('prints one format in place of the text, and writes others', async () => {
    const args = [
      '--format',
      'json',
      '--format',
      'sarif=out.sarif',
      '--format',
      'markdown=out/report.md',
      '--out',
      'out',
    ]
    const { code, out, err } = await runHere([...judged, ...args], { cwd })
    expect(code).toBe(0)
    expect(out).toBe(read('out/results.json'))
    expect(err).toContain('report: ')
    expect(JSON.parse(read('out.sarif')).runs[0].tool.driver.rules[0].id).toBe(rule)
    expect(read('out/report.md')).toMatch(/^## ✅ Plumbline: conformant\n/)

    const [{ realMs, startedMs, endedMs }] = JSON.parse(out).rules
    expect(realMs).toBeLessThan(60_000)
    expect(endedMs - startedMs).toBeGreaterThan(realMs)
    expect(read('out/junit.xml')).toContain(
      `name="${rule}" classname="plumbline.pods" time="${(realMs / 1_000).toFixed(3)}"`,
    )

    const replayed = await runHere(['replay', 'out', '--format', 'ctrf'], { cwd })
    expect(JSON.parse(replayed.out).results.summary).toMatchObject({ tests: 1, passed: 1 })
    expect(replayed.err).toBe('results.json beside the record matches the record\n')
    const merged = await runHere(['merge', 'out', '--out', 'merged', '--format', 'junit'], { cwd })
    expect(merged.out).toBe(read('merged/junit.xml'))
  })

  test('keeps the text if all formats have a file', async () => {
    const { out } = await runHere([...judged, '--format', 'github=annotations'], { cwd })
    expect(out).toContain('conformant: core')
    expect(read('annotations')).toMatch(/^::notice title=plumbline%3A conformant::conformant: core .*\n$/)
  })

  test('that cannot write a report is incomplete', async () => {
    const { code, err } = await runHere([...judged, '--format', 'json=/dev/full'], { cwd })
    expect(code).toBe(3)
    expect(err).toContain('so no report is written; choose another place with --out or --format')
  })

  test('annotates and writes the summary by itself in GitHub Actions', async () => {
    const environment = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: join(cwd, 'summary.md') }
    writeFileSync(join(cwd, 'summary.md'), '# of an earlier step\n')
    const { err, out } = await runHere(judged, { cwd, environment })
    expect(err).toContain('\n::notice title=plumbline%3A conformant::conformant: core')
    expect(out).not.toContain('::notice')
    expect(read('summary.md')).toMatch(/^# of an earlier step\n## ✅ Plumbline: conformant\n/)
    const asked = await runHere([...judged, '--format', 'github'], { cwd, environment })
    expect(asked.out).toMatch(/^::notice title=plumbline%3A conformant::/)
    expect(asked.err).not.toContain('::notice')
  })

  test('goes on without a summary that cannot be written', async () => {
    const environment = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: join(cwd, 'none', 'summary.md') }
    const { code, err } = await runHere(judged, { cwd, environment })
    expect(code).toBe(0)
    expect(err).toContain('summary.md cannot be written (ENOENT); all else is reported\n')
  })
})

function read(name: string): string {
  return readFileSync(join(cwd, name), 'utf8')
}

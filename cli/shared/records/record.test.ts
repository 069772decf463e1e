import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { hasRecord, prepareOutput } from './record.ts'

const results = '{\n  "format": 1,\n  "run": {\n    "id": "r0000000000",\n    "plumbline": "0.1.0",\n'
const record = '{"type":"run","format":1,"run":"r0000000000","plumbline":"0.1.0",'
let cwd: string

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'plumbline-record-'))
})

function put(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    const file = join(cwd, 'out', name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
}

test('a record is there once it has a line', () => {
  put({ 'results.json': results })
  expect(hasRecord(join(cwd, 'out'))).toBe(false)
  put({ 'evidence.ndjson': '' })
  expect(hasRecord(join(cwd, 'out'))).toBe(false)
  put({ 'evidence.ndjson': record })
  expect(hasRecord(join(cwd, 'out'))).toBe(true)
})

describe('a folder that is ours is emptied of what an earlier run wrote, and of nothing else', () => {
  test.each<[what: string, files: Record<string, string>, left: string[]]>([
    ['nothing', {}, []],
    ['results', { 'results.json': results, 'report.html': 'a', 'junit.xml': 'b', 'notes.txt': 'c' }, ['notes.txt']],
    ['a record of a run that was killed', { 'evidence.ndjson': record }, []],
    ['a record that had not begun', { 'evidence.ndjson': '' }, []],
    ['bodies', { 'evidence.ndjson': record, 'bodies/000001.bin': 'a', 'bodies/mine': 'b' }, ['bodies']],
    ['a load', { 'evidence.ndjson': record, 'load/01-smoke/plan.json': '{}', 'load/mine': 'b' }, ['load']],
  ])('%s', (_, files, left) => {
    put(files)
    const dir = prepareOutput(cwd, 'out')
    expect(readdirSync(dir)).toEqual(left)
    for (const folder of left.filter((name) => !name.includes('.')))
      expect(readdirSync(join(dir, folder))).toEqual(['mine'])
  })
})

describe('a folder of others is refused, and left as it is', () => {
  const none = '--out out holds files but no earlier result of plumbline; choose a new or empty folder'
  const foreign = (name: string) => `--out out holds a ${name} that plumbline did not write; choose another folder`
  test.each<[what: string, files: Record<string, string>, message: string]>([
    ['a report of another tool', { 'report.html': 'mine' }, none],
    ['other files', { 'index.ts': 'mine' }, none],
    ['a folder called load', { 'load/mine.txt': 'mine' }, none],
    ['results of another tool', { 'results.json': '{"format": 1}' }, foreign('results.json')],
    ['a record of another tool', { 'results.json': results, 'evidence.ndjson': '{}' }, foreign('evidence.ndjson')],
  ])('%s', (_, files, message) => {
    put(files)
    expect(() => prepareOutput(cwd, 'out')).toThrow(message)
    for (const [name, text] of Object.entries(files)) expect(readFileSync(join(cwd, 'out', name), 'utf8')).toBe(text)
  })
})

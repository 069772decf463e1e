import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { UsageError } from '../errors.ts'
import { makeFolder, writableFile, writableFolder } from './output-folders.ts'

let cwd: string

beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'plumbline-places-'))
  writeFileSync(join(cwd, 'file'), 'mine')
  mkdirSync(join(cwd, 'folder'))
})

describe('a folder', () => {
  test('is made with those above it, and nothing of the trial stays', () => {
    expect(writableFolder(cwd, '--out', 'a/b/c')).toBe(join(cwd, 'a', 'b', 'c'))
    expect(readdirSync(join(cwd, 'a', 'b', 'c'))).toEqual([])
    expect(writableFolder(cwd, '--out', 'a/b/c')).toBe(join(cwd, 'a', 'b', 'c'))
  })

  test.each([
    ['file', /^--out file is a file; name a folder$/],
    ['file/below', /^--out file\/below cannot be written \(ENOTDIR\); name another folder$/],
    ['', /^--out is empty; name a folder$/],
    ['x'.repeat(300), /cannot be written \(ENAMETOOLONG\)/],
    ['\0', /cannot be written/],
  ])('%j is refused', (name, message) => {
    expect(() => writableFolder(cwd, '--out', name)).toThrow(UsageError)
    expect(() => writableFolder(cwd, '--out', name)).toThrow(message)
  })

  // The system answers ENOENT to a folder below one that exists: making it by `recursive` never ends.
  test.runIf(existsSync('/proc/self'))('below /proc is refused', () => {
    expect(() => writableFolder(cwd, '--out', '/proc/nope')).toThrow('--out /proc/nope cannot be written (')
    expect(() => makeFolder('/proc/nope/deeper')).toThrow('/proc/nope')
  })
})

describe('a file', () => {
  test('is not touched by the trial', () => {
    expect(writableFile(cwd, '--json', 'file')).toBe(join(cwd, 'file'))
    expect(readFileSync(join(cwd, 'file'), 'utf8')).toBe('mine')
    expect(writableFile(cwd, '--json', 'folder/new')).toBe(join(cwd, 'folder', 'new'))
    expect(readdirSync(join(cwd, 'folder'))).toEqual([])
    expect(writableFile(cwd, '--json', 'new/below/file')).toBe(join(cwd, 'new', 'below', 'file'))
    expect(readdirSync(join(cwd, 'new'))).toEqual(['below'])
    expect(writableFile(cwd, '--json', '/dev/null')).toBe('/dev/null')
  })

  test.each([
    ['folder', '--json folder is a folder; name a file'],
    ['pipe', '--json pipe is a named pipe, which would wait for a reader; name a file'],
    ['file/below', '--json file/below cannot be written (ENOTDIR); name another file'],
    ['', '--json is empty; name a file'],
  ])('%j is refused', (name, message) => {
    if (name === 'pipe') execFileSync('mkfifo', [join(cwd, name)])
    expect(() => writableFile(cwd, '--json', name)).toThrow(new UsageError(message))
  })
})

import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmdirSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { UsageError } from '../errors.ts'

/**
 * The folder that a flag names, created if it is missing. Throws UsageError if it is a file, cannot be created, or
 * cannot be written.
 */
export function writableFolder(cwd: string, flag: string, folder: string): string {
  if (folder === '') throw new UsageError(`${flag} is empty; name a folder`)
  const dir = resolve(cwd, folder)
  if (existsSync(dir) && !statSync(dir).isDirectory())
    throw new UsageError(`${flag} ${folder} is a file; name a folder`)
  try {
    makeFolder(dir)
    rmdirSync(mkdtempSync(join(dir, '.plumbline-')))
  } catch (error) {
    throw new UsageError(`${flag} ${folder} cannot be written (${codeOf(error)}); name another folder`, error)
  }
  return dir
}

/**
 * Checks the file that a flag names before the work for it begins, and creates its folder if it is missing. Throws
 * UsageError, which names it as it was `typed`, if it is a folder or a named pipe, or cannot be written.
 */
export function writableFile(cwd: string, flag: string, name: string, typed = `${flag} ${name}`): string {
  if (name === '') throw new UsageError(`${typed.trim()} is empty; name a file`)
  const file = resolve(cwd, name)
  if (existsSync(file) && statSync(file).isDirectory()) throw new UsageError(`${typed} is a folder; name a file`)
  if (existsSync(file) && lstatSync(file).isFIFO())
    throw new UsageError(`${typed} is a named pipe, which would wait for a reader; name a file`)
  try {
    makeFolder(dirname(file))
    tryToWrite(file)
  } catch (error) {
    throw new UsageError(`${typed} cannot be written (${codeOf(error)}); name another file`, error)
  }
  return file
}

/** A new temporary folder. Throws UsageError if the system cannot create one. */
export function temporaryFolder(prefix: string): string {
  try {
    return mkdtempSync(join(tmpdir(), prefix))
  } catch (error) {
    throw new UsageError(
      `the folder of temporary files, ${tmpdir()}, cannot be written (${codeOf(error)}); name another one in TMPDIR`,
      error,
    )
  }
}

/** Creates a folder and its parents. Not by `recursive`, which never ends if the system answers ENOENT, as in /proc. */
export function makeFolder(dir: string): void {
  if (existsSync(dir)) return
  if (dir !== dirname(dir)) makeFolder(dirname(dir))
  try {
    mkdirSync(dir)
  } catch (error) {
    // Another process was quicker.
    if (codeOf(error) !== 'EEXIST' || !existsSync(dir)) throw error
  }
}

/** True if a path is a readable file. */
export function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile()
}

/** True if a path is a folder. */
export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

function tryToWrite(file: string): void {
  // Not the file itself: another program may wait for it to appear.
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) {
    rmdirSync(mkdtempSync(join(dirname(file), '.plumbline-')))
    return
  }
  // Opening a pipe or a device may block, or signal its end to a reader.
  if (existsSync(file) && !statSync(file).isFile()) {
    accessSync(file, constants.W_OK)
    return
  }
  closeSync(openSync(file, 'a'))
}

/** The system's code of a fault. */
export function codeOf(error: unknown): string {
  return (error as { code?: string } | null)?.code ?? String(error)
}

/** Why something could not be read. */
export function readFault(error: unknown): string {
  const known = { EISDIR: 'it is a folder', ENOENT: 'there is no such file' }[codeOf(error)]
  return known ?? (error instanceof Error ? error.message : String(error))
}

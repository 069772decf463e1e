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
import { UsageError } from './errors.ts'

/**
 * The folder that a flag names, made where it is missing. Throws UsageError where it is a file, cannot be made, or
 * nothing can be written into it.
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
    throw new UsageError(`${flag} ${folder} cannot be written (${codeOf(error)}); name another folder`)
  }
  return dir
}

/**
 * The file that a flag names, before anything is done that it would hold; nothing is left of the trial. Throws
 * UsageError where it is a folder or cannot be written.
 */
export function writableFile(cwd: string, flag: string, name: string): string {
  if (name === '') throw new UsageError(`${flag} is empty; name a file`)
  const file = resolve(cwd, name)
  const folder = dirname(file)
  if (!existsSync(folder)) throw new UsageError(`${flag} ${name}: there is no folder ${dirname(name)}; make it first`)
  if (existsSync(file) && statSync(file).isDirectory()) throw new UsageError(`${flag} ${name} is a folder; name a file`)
  try {
    tryToWrite(file)
  } catch (error) {
    throw new UsageError(`${flag} ${name} cannot be written (${codeOf(error)}); name another file`)
  }
  return file
}

/** A new temporary folder. Throws UsageError where the system has no place for one. */
export function temporaryFolder(prefix: string): string {
  try {
    return mkdtempSync(join(tmpdir(), prefix))
  } catch (error) {
    throw new UsageError(
      `the folder of temporary files, ${tmpdir()}, cannot be written (${codeOf(error)}); name another one in TMPDIR`,
    )
  }
}

/** Makes a folder and those above it. Not by `recursive`, which never ends where the system answers ENOENT, as in /proc. */
export function makeFolder(dir: string): void {
  if (existsSync(dir)) return
  if (dir !== dirname(dir)) makeFolder(dirname(dir))
  try {
    mkdirSync(dir)
  } catch (error) {
    // Somebody else was quicker.
    if (codeOf(error) !== 'EEXIST' || !existsSync(dir)) throw error
  }
}

/** Whether a path leads to a file that can be read as one. */
export function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile()
}

/** Whether an error says that a disk is full, or that its quota is used up. */
export function isFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes(codeOf(error))
}

function tryToWrite(file: string): void {
  // Not the file itself: somebody may wait for it to appear.
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) {
    rmdirSync(mkdtempSync(join(dirname(file), '.plumbline-')))
    return
  }
  // Opening a pipe or a device may wait, or tell its reader that it has ended.
  if (existsSync(file) && !statSync(file).isFile()) {
    accessSync(file, constants.W_OK)
    return
  }
  closeSync(openSync(file, 'a'))
}

/** The name that the system gives a fault. */
export function codeOf(error: unknown): string {
  return (error as { code?: string } | null)?.code ?? String(error)
}

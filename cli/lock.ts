import { createHash, randomUUID } from 'node:crypto'
import { constants, copyFileSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { membersOf } from '../harness/exchange/read.ts'
import { UsageError } from './errors.ts'
import { codeOf, writableFolder } from './places.ts'
import { isAlive, owningProcess } from './process.ts'

interface Holder {
  /** The lock as it was read. */
  readonly text: string
  readonly name: string
  readonly isAlive: boolean
}

const lockName = '.plumbline-lock'

/**
 * Does `work` while the folder of `--out`, where there is one, is this process's alone. Throws UsageError where another
 * process that still runs has it, or where nothing can be written there.
 */
export async function withOutput<T>(cwd: string, folder: string | undefined, work: () => Promise<T>): Promise<T> {
  if (folder === undefined) return work()
  const release = lock(join(writableFolder(cwd, '--out', folder), lockName), folder)
  // A second interruption ends the process without coming back here.
  process.once('exit', release)
  try {
    return await work()
  } finally {
    process.removeListener('exit', release)
    release()
  }
}

/** Takes a lock of the folder; answers what gives it back. What a process that is gone has left there is taken over. */
function lock(file: string, folder: string): () => void {
  // No two locks say the same, so that one can be told from the next of the same process.
  const own = JSON.stringify({ host: hostname(), ...owningProcess(process.pid), lock: randomUUID() })
  while (!isNew(file, own)) {
    const holder = holderOf(file)
    if (holder === null) continue
    if (holder.isAlive) {
      throw new UsageError(`--out ${folder} is in use by ${holder.name}; wait for its end, or name another folder`)
    }
    takeAway(file, holder.text, folder)
  }
  return () => {
    if (read(file) === own) rmSync(file, { force: true })
  }
}

/**
 * Removes the lock if it still says `judged`, which is of a process that is gone. Whoever does so holds a lock that
 * belongs to this very text: so it can be no other text by the time that it is removed. Of several that found the same
 * one, those that come second are told that the folder is in use.
 */
export function takeAway(file: string, judged: string, folder: string): void {
  const release = lock(`${file}-${createHash('sha256').update(judged).digest('hex').slice(0, 16)}`, folder)
  try {
    if (read(file) === judged) rmSync(file)
  } finally {
    release()
  }
}

/** Puts a lock there whole: what is created first and written afterwards would be read empty in between. */
function isNew(file: string, text: string): boolean {
  const draft = `${file}-${randomUUID()}`
  try {
    writeFileSync(draft, text, { flag: 'wx' })
    link(draft, file)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Gives a file a second name; where the file system has no such thing, a copy has to do. */
function link(file: string, name: string): void {
  try {
    linkSync(file, name)
  } catch (error) {
    if (!noLinks.has(codeOf(error))) throw error
    copyFileSync(file, name, constants.COPYFILE_EXCL)
  }
}

const noLinks: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])

/** Who has the folder; null where it was given back meanwhile. Of another machine nobody can tell whether it still runs. */
function holderOf(file: string): Holder | null {
  const text = read(file)
  if (text === null) return null
  const { host, id, began } = membersOf(parse(text)) ?? {}
  if (typeof id !== 'number' || typeof host !== 'string') {
    return { text, name: `a run that ${file} stands for (delete that file if there is none)`, isAlive: true }
  }
  if (host !== hostname()) {
    return { text, name: `process ${id} on ${host} (if that has ended, delete ${file})`, isAlive: true }
  }
  return { text, name: `process ${id}`, isAlive: isAlive({ id, began: typeof began === 'string' ? began : null }) }
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

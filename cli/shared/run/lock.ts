import { createHash, randomUUID } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { jsonIn } from '../../../harness/exchange/exchange.ts'
import { membersOf } from '../../../harness/exchange/read.ts'
import { UsageError } from '../errors.ts'
import { isAlive, owningProcess } from '../process.ts'
import { codeOf, writableFolder } from '../records/output-folders.ts'

const lockName = '.plumbline-lock'

/**
 * Does `work` while this process alone holds the folder of `--out`, if there is one. Throws UsageError if another
 * running process has it, or if nothing can be written there.
 */
export async function withOutput<T>(cwd: string, folder: string | undefined, work: () => Promise<T>): Promise<T> {
  if (folder === undefined) return work()
  const release = lock(join(writableFolder(cwd, '--out', folder), lockName), folder)
  // A second interruption ends the process without returning here.
  process.once('exit', release)
  try {
    return await work()
  } finally {
    process.removeListener('exit', release)
    release()
  }
}

/** Takes a lock of the folder and returns its release. The lock of a process that is gone is taken over. */
function lock(file: string, folder: string): () => void {
  // No two locks have the same text, so that successive locks of one process differ.
  const own = JSON.stringify({ host: hostname(), ...owningProcess(process.pid), lock: randomUUID() })
  while (!isNew(file, own)) {
    const text = read(file)
    if (text === null) continue
    const holder = holderOf(text, file)
    if (holder !== null) {
      throw new UsageError(`--out ${folder} is in use by ${holder}; wait until it ends, or name another folder`)
    }
    takeAway(file, text, folder)
  }
  return () => {
    if (read(file) === own) rmSync(file, { force: true })
  }
}

/**
 * Removes the lock if its text is still `judged`, which is of a process that is gone. The remover holds a lock for
 * this very text, so the text cannot have changed when it is removed. Of several processes that found the same
 * lock, all but the first get the error that the folder is in use.
 */
export function takeAway(file: string, judged: string, folder: string): void {
  const release = lock(`${file}-${createHash('sha256').update(judged).digest('hex').slice(0, 16)}`, folder)
  try {
    if (read(file) === judged) rmSync(file)
  } finally {
    release()
  }
}

/** Creates the lock. A reader may see it empty: then it counts as held by an unknown run. */
function isNew(file: string, text: string): boolean {
  try {
    writeFileSync(file, text, { flag: 'wx' })
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    // A full disk leaves it empty.
    rmSync(file, { force: true })
    throw error
  }
}

/** The process that wrote a lock; null if it is gone. A process of another machine counts as running. */
function holderOf(text: string, file: string): string | null {
  const { host, id, began } = membersOf(jsonIn(text)) ?? {}
  if (typeof id !== 'number' || typeof host !== 'string') {
    return `the run that wrote ${file} (delete that file if no run is active)`
  }
  if (host !== hostname()) return `process ${id} on ${host} (if that has ended, delete ${file})`
  return isAlive({ id, began: typeof began === 'string' ? began : null }) ? `process ${id}` : null
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
}

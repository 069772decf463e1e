import { mkdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Folder for the temporary files of a test run. */
export const temporary = join(tmpdir(), `plumbline-tests-${process.pid}`)

/** Makes the folder, and removes it at the end with whatever the tests left there. */
export default function setup(): () => void {
  mkdirSync(temporary, { recursive: true })
  return () => rmSync(temporary, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
}

import { mkdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Where all tests of a run write. */
export const temporary = join(tmpdir(), `plumbline-tests-${process.pid}`)

/** Makes that folder, and removes it at the end with whatever the tests left there. */
export default function setup(): () => void {
  mkdirSync(temporary, { recursive: true })
  return () => rmSync(temporary, { recursive: true, force: true })
}

import { mkdirSync, rmSync } from 'node:fs'
import type { TestProject } from 'vitest/node'

/** Makes the folder of all temporary files of a test run, and removes it at the end with whatever the tests left there. */
export default function setup({ config }: TestProject): () => void {
  const { TMPDIR: folder = '' } = config.env
  mkdirSync(folder, { recursive: true })
  return () => rmSync(folder, { recursive: true, force: true })
}

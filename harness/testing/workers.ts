import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const { status, stdout } = spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' })

/** The path of this machine's Python, null if it has none. The command `python3` may be a slow wrapper around it. */
export const python = status === 0 ? stdout.trim() : null

/** Why a test is skipped without Python. */
export const noPython = 'there is no python3 on this machine'

/** The options of `serve` that let the conformance worker in Python execute jobs; none without Python. */
export const pythonWorker: readonly string[] =
  python === null ? [] : ['--worker', `'${python}' '${join(import.meta.dirname, '../../suites/worker')}'`]

/** The same in Node. */
export const nodeWorker: readonly string[] = [
  '--worker',
  `'${process.execPath}' '${join(import.meta.dirname, '../../worker/main.ts')}'`,
]

import { spawnSync } from 'node:child_process'

const { status, stdout } = spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' })

/** The path of this machine's Python, null if it has none. The command `python3` may be a slow wrapper around it. */
export const python = status === 0 ? stdout.trim() : null

// Compiles into dist/, then removes files without a source, because the digest of the suite covers all files there. Not
// before: commands may be running from it.
import { spawnSync } from 'node:child_process'
import { readdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'

const tsc = join(import.meta.dirname, '..', 'node_modules', 'typescript', 'bin', 'tsc')
// The real path: if a folder has two, both lists below must name its files by the same one.
const args = [tsc, '-p', resolve('tsconfig.build.json'), '--listEmittedFiles']
const mark = 'TSFILE: '

const { status, stdout } = spawnSync(process.execPath, args, {
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'inherit'],
  maxBuffer: Number.POSITIVE_INFINITY,
})
const lines = stdout.split('\n').filter((line) => line !== '')
for (const line of lines) if (!line.startsWith(mark)) process.stdout.write(`${line}\n`)
if (status === 0) removeAllBut(new Set(lines.map((line) => resolve(line.slice(mark.length)))))
process.exitCode = status ?? 1

function removeAllBut(made) {
  for (const entry of readdirSync('dist', { recursive: true, withFileTypes: true })) {
    const file = resolve(entry.parentPath, entry.name)
    if (!entry.isDirectory() && !made.has(file)) rmSync(file, { force: true })
  }
}

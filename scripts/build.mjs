// Compiles into dist/ and takes comments and spaces out, then removes files without a source, because the digest of the suite
// covers all files there. Not before: commands may be running from it.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { minifySync } from 'vite'

const tsc = join(import.meta.dirname, '..', 'node_modules', 'typescript', 'bin', 'tsc')
// The real path: if a folder has two, both lists below must name its files by the same one.
const args = [tsc, '-p', resolve('tsconfig.build.json'), '--listEmittedFiles']
const mark = 'TSFILE: '
const names = { function: true, class: true }

const { status, stdout } = spawnSync(process.execPath, args, {
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'inherit'],
  maxBuffer: Number.POSITIVE_INFINITY,
})
const lines = stdout.split('\n').filter((line) => line !== '')
for (const line of lines) if (!line.startsWith(mark)) process.stdout.write(`${line}\n`)
if (status === 0) {
  const made = lines.filter((line) => line.startsWith(mark)).map((line) => resolve(line.slice(mark.length)))
  for (const file of made) if (file.endsWith('.js')) shrink(file)
  removeAllBut(new Set(made))
}
process.exitCode = status ?? 1

/** Names of functions and classes stay, for the traces of errors. */
function shrink(file) {
  const { code, errors } = minifySync(file, readFileSync(file, 'utf8'), {
    compress: { keepNames: names },
    mangle: { keepNames: names },
  })
  if (errors.length > 0) throw new Error(`${file} cannot be minified: ${errors[0].message}`)
  writeFileSync(file, code)
}

function removeAllBut(made) {
  for (const entry of readdirSync('dist', { recursive: true, withFileTypes: true })) {
    const file = resolve(entry.parentPath, entry.name)
    if (!entry.isDirectory() && !made.has(file)) rmSync(file, { force: true })
  }
}

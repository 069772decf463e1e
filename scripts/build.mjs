// Compiles into dist/ and takes comments and spaces out, then removes files without a source, because the digest of the suite
// covers all files there. Not before: commands may be running from it.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { minifySync } from 'vite'

const tsc = join(import.meta.dirname, '..', 'node_modules', 'typescript', 'bin', 'tsc')
// The real path: if a folder has two, both lists below must name its files by the same one.
const args = [tsc, '-p', resolve('tsconfig.build.json'), '--listEmittedFiles']
const mark = 'TSFILE: '
/** The package has the schemas already. */
const schemas = resolve('dist', 'spec')
/** Folders whose types users of the library see: their declarations keep the comments. */
const documented = ['library', 'target', 'results', 'verdicts', 'harness/rule', 'harness/planes', 'reference/options']
/** Folders of many short functions, whose names the package has no room for. */
const nameless = [
  'generated',
  'harness/record',
  'harness/clock',
  'harness/plan',
  'load',
  'proof',
  'reference',
  'reports',
  'results',
  'suites',
  'traffic',
]

const { status, stdout } = spawnSync(process.execPath, args, {
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'inherit'],
  maxBuffer: Number.POSITIVE_INFINITY,
})
const lines = stdout.split('\n').filter((line) => line !== '')
for (const line of lines) if (!line.startsWith(mark)) process.stdout.write(`${line}\n`)
if (status === 0) {
  const made = lines.filter((line) => line.startsWith(mark)).map((line) => resolve(line.slice(mark.length)))
  const types = declarationsOf('dist/library')
  const kept = made.filter((file) => (!file.endsWith('.d.ts') || types.has(file)) && !file.startsWith(schemas))
  for (const file of kept) shrink(file)
  removeAllBut(new Set(kept))
}
process.exitCode = status ?? 1

/** The declarations in a folder, if it exists, and those that they import. */
function declarationsOf(folder) {
  const found = new Set()
  const left = existsSync(folder) ? readdirSync(folder).map((name) => resolve(folder, name)) : []
  for (let file = left.pop(); file !== undefined; file = left.pop()) {
    if (!file.endsWith('.d.ts') || found.has(file)) continue
    found.add(file)
    const imports = readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?\s*['"](\.[^'"]+)\.[jt]s['"]/g)
    for (const [, path] of imports) left.push(`${resolve(dirname(file), path)}.d.ts`)
  }
  return found
}

/** Takes out spaces, and comments of code. Names of classes, and of most functions, stay for the traces of errors. */
function shrink(file) {
  const text = readFileSync(file, 'utf8')
  if (file.endsWith('.json')) return writeFileSync(file, JSON.stringify(JSON.parse(text)))
  if (file.endsWith('.d.ts')) return writeFileSync(file, withoutSpaces(text, file))
  const keepNames = { function: !nameless.some((folder) => file.startsWith(resolve('dist', folder))), class: true }
  const linked = text.replaceAll(`from '../spec/`, `from '../../spec/`)
  const { code, errors } = minifySync(file, linked, { compress: { keepNames }, mangle: { keepNames } })
  if (errors.length > 0) throw new Error(`${file} cannot be minified: ${errors[0].message}`)
  writeFileSync(file, code)
}

/** A declaration file, with its comments if users of the library come upon its types. */
function withoutSpaces(text, file) {
  const isShown = documented.some((folder) => file.startsWith(resolve('dist', folder)))
  return (isShown ? text : text.replace(/\/\*\*.*?\*\//gs, '')).replace(/^\s+/gm, '')
}

function removeAllBut(made) {
  for (const entry of readdirSync('dist', { recursive: true, withFileTypes: true })) {
    const file = resolve(entry.parentPath, entry.name)
    if (!entry.isDirectory() && !made.has(file)) rmSync(file, { force: true })
  }
}

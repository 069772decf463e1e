// Compiles into dist/, puts the types of each export into one file and each package that is no dependency into the modules that
// import it, and takes comments and spaces out. Then removes files without a source, because the digest of the suite covers all
// files there. Not before: commands may be running from it.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { rolldown } from 'rolldown'
import { dts } from 'rolldown-plugin-dts'
import { minifySync } from 'vite'

const tsc = join(import.meta.dirname, '..', 'node_modules', 'typescript', 'bin', 'tsc')
const dist = resolve('dist')
// The real path: if a folder has two, both lists below must name its files by the same one.
const args = [tsc, '-p', resolve('tsconfig.build.json'), '--listEmittedFiles']
const mark = 'TSFILE: '
/** The package has the schemas already. */
const schemas = resolve(dist, 'spec')
const { dependencies } = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'package.json'), 'utf8'))
/** The modules that import packages which `check` does not use: users need not install these. */
const importers = ['cli/completion/completion', 'cli/init/prompts', 'cli/serve/host', 'load/mixed/statistics']
const exported = ['library/index', 'library/reference', 'library/vitest']
/** Folders whose types users of the library come upon: their declarations keep the comments. */
const documented = ['library', 'target', 'results', 'verdicts', 'harness/rule', 'harness/planes', 'reference/options']

const { status, stdout } = spawnSync(process.execPath, args, {
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'inherit'],
  maxBuffer: Number.POSITIVE_INFINITY,
})
const lines = stdout.split('\n').filter((line) => line !== '')
for (const line of lines) if (!line.startsWith(mark)) process.stdout.write(`${line}\n`)
if (status === 0) {
  const made = lines.filter((line) => line.startsWith(mark)).map((line) => resolve(line.slice(mark.length)))
  const code = made.filter((file) => !file.endsWith('.d.ts') && !file.startsWith(schemas))
  const isMade = (path) => made.includes(join(dist, `${path}.js`))
  const bundled = await withPackages(importers.filter(isMade))
  const kept = new Set([...code, ...bundled, ...(await typesOf(exported.filter(isMade)))])
  for (const file of kept) shrink(file)
  removeAllBut(kept)
}
process.exitCode = status ?? 1

/** Puts the packages that are no dependencies into the modules that import them, and their licenses into a file. */
async function withPackages(paths) {
  const external = (id, _, isFile) => (isFile ? !id.includes('/node_modules/') : isDependency(id))
  const files = []
  const folders = new Set()
  // One by one: paths to modules outside a bundle count from the folder that all its entries share.
  for (const path of paths) {
    const dir = dirname(join(dist, path))
    const output = await bundle([path], 'js', { dir, external, platform: 'node' })
    files.push(...output.map(({ fileName }) => join(dir, fileName)))
    for (const id of output.flatMap(({ moduleIds }) => moduleIds)) {
      const [folder] = /^.*\/node_modules\/(@[^/]+\/)?[^/]+/.exec(id) ?? []
      if (folder !== undefined) folders.add(folder)
    }
  }
  if (folders.size === 0) return files
  const licenses = join(dist, 'LICENSES.txt')
  writeFileSync(licenses, [...folders].sort().map(licenseOf).join('\n\n'))
  return [...files, licenses]
}

function isDependency(id) {
  return Object.keys(dependencies).some((name) => id === name || id.startsWith(`${name}/`))
}

function licenseOf(folder) {
  const { name, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  return `${name}: ${license}\n\n${file ? readFileSync(join(folder, file), 'utf8').trim() : 'The package has no text of it.'}`
}

/** The declarations that users of the library see: one file for each export, and one for what they share. */
async function typesOf(paths) {
  if (paths.length === 0) return []
  const comments = { name: 'comments', transform: withoutComments }
  const plugins = [comments, dts({ dtsInput: true, emitDtsOnly: true, tsconfig: false })]
  const output = await bundle(paths, 'd.ts', { dir: join(dist, 'library'), external: /^[^./]/, plugins })
  // Not the helpers of the bundler, which types do not use.
  const names = output.map(({ fileName }) => fileName).filter((name) => name.endsWith('.d.ts'))
  return names.map((name) => join(dist, 'library', name))
}

function withoutComments(code, file) {
  return documented.some((folder) => file.startsWith(resolve(dist, folder)))
    ? null
    : code.replace(/\/\*\*.*?\*\//gs, '')
}

/** Writes modules of dist/, each with what it imports and is not external. */
async function bundle(paths, end, { dir, ...options }) {
  const input = Object.fromEntries(paths.map((path) => [basename(path), join(dist, `${path}.${end}`)]))
  const graph = await rolldown({ input, ...options })
  const { output } = await graph.write({ dir, chunkFileNames: end === 'js' ? '[name].js' : '[name].ts' })
  await graph.close()
  return output
}

/** Takes out spaces, and comments of code. Names of classes and of exported functions stay for the traces of errors. */
function shrink(file) {
  const text = readFileSync(file, 'utf8')
  if (file.endsWith('.txt')) return
  if (file.endsWith('.json')) return writeFileSync(file, JSON.stringify(JSON.parse(text)))
  if (file.endsWith('.d.ts')) return writeFileSync(file, text.replace(/^\s+/gm, ''))
  const keepNames = { function: false, class: true }
  const linked = text.replaceAll(`from '../spec/`, `from '../../spec/`)
  const { code, errors } = minifySync(file, linked, { compress: { keepNames }, mangle: { keepNames } })
  if (errors.length > 0) throw new Error(`${file} cannot be minified: ${errors[0].message}`)
  writeFileSync(file, code)
}

function removeAllBut(kept) {
  for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    const file = resolve(entry.parentPath, entry.name)
    if (!entry.isDirectory() && !kept.has(file)) rmSync(file, { force: true })
  }
}

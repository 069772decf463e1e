// Packs the package, installs it in an empty folder as its users do, and runs the commands of the documents from there. By npm;
// `node scripts/installed.mjs pnpm` or `bun` installs it by another package manager. Needs the npm registry.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { rolldown } from 'rolldown'

const root = join(import.meta.dirname, '..')
const maxBytes = 3_100_000
const managers = {
  npm: ['npm', 'install', '--save-dev', '--no-audit', '--no-fund', '--prefer-offline'],
  pnpm: ['npx', '--yes', 'pnpm@12.21.0', 'add', '--save-dev'],
  bun: ['npx', '--yes', 'bun@1.4.5', 'add', '--dev'],
}
const { dependencies, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
/** Options of a process under the Node that runs this. */
const underThisNode = {
  encoding: 'utf8',
  env: { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}`, NO_COLOR: '1' },
}
const manager = process.argv[2] ?? 'npm'
const [program, ...words] = managers[manager] ?? fail(`unknown package manager "${manager}"; known: npm, pnpm, bun`)
const folder = mkdtempSync(join(tmpdir(), 'plumbline-installed-'))

try {
  const packed = pack()
  await refuseSurplus(packed)
  install(join(folder, packed.filename))
  runDocuments()
  const kilobytes = Math.round(packed.unpackedSize / 1000)
  process.stdout.write(`the commands of the documents work as installed by ${manager}; ${kilobytes} KB unpacked\n`)
} catch (error) {
  process.stdout.write(`${error.stdout ?? ''}${error.stderr ?? ''}${error.message}\n`)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** Of the dist/ that the build made: packing must not build while other steps run from it. */
function pack() {
  const text = run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], root)
  const [packed] = Object.values(JSON.parse(text))
  return packed
}

/** Throws if the package holds what no command of it uses. */
async function refuseSurplus({ files, unpackedSize }) {
  const tests = files.map(({ path }) => path).filter((path) => /\.test\.|\/test_|\/testing\/|\.map$/.test(path))
  if (tests.length > 0) fail(`the package holds files that are for development only: ${tests.join(', ')}`)
  if (unpackedSize > maxBytes) fail(`the package is ${unpackedSize} bytes unpacked; at most ${maxBytes} are allowed`)
  const code = (await modulesOfCheck()).map((file) => readFileSync(file, 'utf8'))
  const unused = Object.keys(dependencies).filter(
    (name) => !code.some((text) => new RegExp(`["'\`]${name}["'\`/]`).test(text)),
  )
  if (unused.length > 0)
    fail(`dependencies that check does not use; scripts/build.mjs can bundle them: ${unused.join(', ')}`)
}

/** The modules that `check` may load: by its command, by the rules, and by the paths that it gives to a run. */
async function modulesOfCheck() {
  const paths = ['check/check', 'shared/terminal', 'shared/run/vendor-rules'].map((path) => `cli/${path}`)
  const input = [...paths, 'suites/all', 'proof/instance', 'load/drive'].map((path) => join(root, 'dist', `${path}.js`))
  const graph = await rolldown({ input, external: /^[^./]/, platform: 'node' })
  const { output } = await graph.generate()
  return output.flatMap(({ moduleIds = [] }) => moduleIds).filter(existsSync)
}

function install(tarball) {
  writeFileSync(join(folder, 'package.json'), '{"private": true}\n')
  run(program, [...words, tarball], folder)
  const surplus = ['typescript', 'vitest', 'vite', `node-${process.platform}-${process.arch}`]
  const installed = surplus.filter((name) => existsSync(join(folder, 'node_modules', name)))
  if (installed.length > 0) fail(`it installs packages for development: ${installed.join(', ')}`)
  // Not the package that the registry has under this name.
  const said = run('npx', ['--no', '--', 'plumbline', '--version'], folder).trim()
  if (said !== version) fail(`npx runs version ${said} instead of ${version}`)
  // A wrong id is looked for in a file that nothing else reads.
  const explain = ['--no', '--', 'plumbline', 'explain', 'pods.delet']
  const { stderr } = spawnSync('npx', explain, { ...underThisNode, cwd: folder })
  if (!stderr.includes('did you mean')) fail(`explain of an unknown rule names no other one: ${stderr}`)
}

function runDocuments() {
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
  underThisNode.env.PLUMBLINE_INSTALLED = folder
  run(process.execPath, [vitest, 'run', '--project', 'own', 'docs/commands.test.ts'], root)
}

/** Runs a program under this Node; returns what it prints. */
function run(name, args, cwd) {
  return execFileSync(name, args, { ...underThisNode, cwd, stdio: ['ignore', 'pipe', 'pipe'] })
}

function fail(sentence) {
  throw new Error(sentence)
}

// Verifies everything: runs groups of steps in order and the steps of a group concurrently, prints the output and time
// of each, and a last line that counts. `--load` adds the steps that need k6, and builds k6 if it is missing; `--browser` adds
// the one that needs Chromium.
import { execFileSync, spawn } from 'node:child_process'

const bin = 'bin/plumbline.js'
/** Room for young objects: most live for one exchange, and with the defaults of V8 many are copied for nothing. */
const vitest = ['--min-semi-space-size=32', '--max-semi-space-size=64', 'node_modules/vitest/vitest.mjs', 'run']
const groups = [
  [
    ['generated files are current', ['packages/codegen/generate.ts', '--check']],
    ['format and lint', ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.']],
    // More checkers end sooner alone, but repeat work, and the other steps need the processors.
    ['types', ['node_modules/typescript/bin/tsc', '--noEmit', '--checkers', '1']],
    ['build', ['scripts/build.mjs']],
  ],
  [['own tests', [...vitest, '--project', 'own', '--reporter=dot']]],
  // The first is a chain of commands, each of which uses a part of the processors; the threads of the second use the rest.
  [
    ['check, in process and over HTTP', ['scripts/check-over-http.mjs']],
    ['prove', [bin, 'prove', '--quiet']],
  ],
  [
    ['the rules under vitest', [...vitest, '--project', 'suites', '--reporter=dot']],
    ['the installed package', ['scripts/installed.mjs']],
    // The same ones each time; `prove --malformed` tries all.
    ['prove, some malformed responses', [bin, 'prove', '--malformed', '--sample', '40', '--seed', '1', '--quiet']],
    // Other ones for each commit; `prove --served` judges all.
    ['prove, over HTTP', [bin, 'prove', '--served', '--sample', '40', '--seed', String(seedOfCommit()), '--quiet']],
    ...(process.argv.includes('--browser') ? [['the report in Chromium', ['scripts/clients/run.mjs', 'report']]] : []),
  ],
  ...(process.argv.includes('--load')
    ? [[['load, through k6', [...vitest, '--config', 'load/vitest.config.ts']]]]
    : []),
]

/** A number made of the id of the commit; 1 outside a repository. */
function seedOfCommit() {
  try {
    const id = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    return Number.parseInt(id.slice(0, 7), 16)
  } catch {
    return 1
  }
}

/** Runs a step and prints its whole output once it has ended. */
function run([name, args]) {
  const begun = performance.now()
  return new Promise((ended) => {
    const said = [`\n── ${name}\n`]
    const child = spawn(process.execPath, args, {
      env: { ...process.env, NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => said.push(text))
    let reason = ''
    child.on('error', (error) => {
      reason = error.message
    })
    child.on('close', (status) => {
      const seconds = ((performance.now() - begun) / 1000).toFixed(1)
      const passed = status === 0
      said.push(`${passed ? 'ok' : `FAILED (${reason || `exit ${status}`})`}: ${name}, ${seconds} s\n`)
      for (const text of said) process.stdout.write(text)
      ended(passed)
    })
  })
}

const results = []
for (const steps of groups) results.push(...(await Promise.all(steps.map(run))))
const failed = results.filter((passed) => !passed).length
process.stdout.write(`\n${results.length - failed} passed, ${failed} failed\n`)
process.exitCode = failed === 0 ? 0 : 1

// The one command that verifies all: each step in turn, its time, and a last line that counts. With --load, what needs
// k6 is a step too; k6 is then built where there is none.
import { spawnSync } from 'node:child_process'

const node = process.execPath
const bin = 'bin/plumbline.js'
const steps = [
  ['generated files are current', 'npm', ['run', '--silent', 'generate', '--', '--check']],
  ['format and lint', 'npx', ['--no-install', 'biome', 'check', '--error-on-warnings', '.']],
  ['types', 'npx', ['--no-install', 'tsc', '--noEmit']],
  ['build', 'npm', ['run', '--silent', 'build']],
  ['own tests', 'npx', ['--no-install', 'vitest', 'run', '--project', 'own', '--reporter=dot']],
  ['the rules under vitest', 'npx', ['--no-install', 'vitest', 'run', '--project', 'suites', '--reporter=dot']],
  ['check, in process', node, [bin, 'check', '--quiet', '--strict']],
  ['prove', node, [bin, 'prove', '--quiet']],
  ['prove, 500 odd answers', node, [bin, 'prove', '--odd', '--sample', '500', '--seed', '1', '--quiet']],
  ['check, over HTTP', node, ['scripts/check-over-http.mjs']],
  ...(process.argv.includes('--load') ? [['load, through k6', 'npm', ['run', '--silent', 'test:load']]] : []),
]

let failed = 0
for (const [name, command, args] of steps) {
  const begun = performance.now()
  process.stdout.write(`\n── ${name}\n`)
  const { status, error } = spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, NO_COLOR: '1' } })
  const seconds = ((performance.now() - begun) / 1000).toFixed(1)
  const passed = status === 0
  if (!passed) failed++
  process.stdout.write(`${passed ? 'ok' : `FAILED (${error?.message ?? `exit ${status}`})`}: ${name}, ${seconds} s\n`)
}
process.stdout.write(`\n${steps.length - failed} passed, ${failed} failed\n`)
process.exitCode = failed === 0 ? 0 : 1

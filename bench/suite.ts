import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rules } from '../generated/rules.ts'
import { median } from './measure.ts'

// Compares the time of the whole suite in process with vitest's minimum: as many empty tests in one file and one
// worker.

const dir = mkdtempSync(join(import.meta.dirname, 'empty-'))
const root = join(import.meta.dirname, '..')

function time(command: string, args: string[]): number {
  const begun = performance.now()
  const { status, stderr } = spawnSync(command, args, { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} exited ${status}: ${stderr}`)
  return performance.now() - begun
}

try {
  const file = join(dir, 'empty.bench-test.ts')
  const tests = rules.map(({ id }) => `test.concurrent('${id}', async () => {})`).join('\n')
  writeFileSync(file, `import { test } from 'vitest'\n${tests}\n`)
  const config = join(dir, 'vitest.config.ts')
  writeFileSync(
    config,
    `export default { root: ${JSON.stringify(dir)}, test: { include: ['*.bench-test.ts'], pool: 'threads', isolate: false } }\n`,
  )
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
  const floor: number[] = []
  const suite: number[] = []
  for (let round = 0; round < 5; round++) {
    floor.push(time(process.execPath, [vitest, 'run', '--config', config, '--reporter=dot']))
    suite.push(time(process.execPath, [join(root, 'bin', 'plumbline.js'), 'check', '--reference', '--quiet']))
  }
  const [least, ours] = [median(floor), median(suite)]
  console.log(
    `${rules.length} rules: check ${ours.toFixed(0)} ms, vitest with as many empty tests ${least.toFixed(0)} ms, ratio ${(ours / least).toFixed(2)}`,
  )
} finally {
  rmSync(dir, { recursive: true, force: true })
}

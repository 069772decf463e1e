import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { rules } from './generated/rules.ts'
import type { RunOptions } from './harness/run/options.ts'
import { temporary } from './harness/testing/temporary.ts'

/** Makes and removes the folder of temporary files. */
const setup = 'harness/testing/temporary.ts'

/** What an editor's test runner judges: every rule, against the embedded reference. */
const plumbline: RunOptions = {
  run: 'rdevelopment',
  plumbline: '0.0.0',
  seed: 1,
  startedMs: 0,
  profiles: ['core'],
  strict: false,
  keep: false,
  rules: rules.map(({ id }) => id),
  target: null,
  targetFile: null,
  suites: join(import.meta.dirname, 'suites/all.ts'),
  embed: join(import.meta.dirname, 'proof/instance.ts'),
  digests: { suite: '', ledger: '', specification: '', target: '' },
  evidence: join(temporary, 'suites'),
  resources: null,
}

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'own',
          maxWorkers: 3,
          // A test makes what it needs and keeps nothing, so that files can share what they import: half of their time.
          isolate: false,
          // The commands that tests start are compiled once, not each time.
          // Commands report as they do for people, also if GitHub Actions runs the tests.
          env: { NODE_COMPILE_CACHE: join(tmpdir(), 'plumbline-compiled'), TMPDIR: temporary, GITHUB_ACTIONS: '' },
          globalSetup: setup,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          include: ['**/*.test.ts'],
          // The last one needs k6 and minutes: npm run test:load.
          exclude: ['**/node_modules/**', 'dist/**', 'cli/load/k6.test.ts'],
          pool: 'threads',
        },
      },
      {
        test: {
          name: 'suites',
          include: ['suites/entry.ts'],
          pool: 'threads',
          isolate: false,
          maxConcurrency: 10_000,
          testTimeout: 120_000,
          env: { TMPDIR: temporary },
          globalSetup: setup,
          provide: { plumbline },
        },
      },
    ],
  },
})

import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { temporary } from './harness/testing/temporary.ts'

/** Makes and removes the folder of temporary files. */
const setup = 'harness/testing/temporary.ts'

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
          exclude: ['**/node_modules/**', 'dist/**', 'cli/load/*k6.test.ts'],
          pool: 'threads',
        },
      },
      {
        test: {
          name: 'suites',
          // Every rule against the embedded reference, as an editor runs them.
          include: ['library/vitest.ts'],
          pool: 'threads',
          isolate: false,
          env: { TMPDIR: temporary, PLUMBLINE_TARGET: 'reference', PLUMBLINE_SEED: '1' },
          globalSetup: setup,
        },
      },
    ],
  },
})

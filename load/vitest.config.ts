import { defineConfig } from 'vitest/config'
import { temporary } from '../harness/testing/temporary.ts'

/** Load in real time, through k6; the default project leaves this file out. */
export default defineConfig({
  test: {
    name: 'load',
    include: ['cli/load/*k6.test.ts'],
    root: `${import.meta.dirname}/..`,
    maxConcurrency: 3,
    env: { TMPDIR: temporary },
    globalSetup: 'harness/testing/temporary.ts',
  },
})

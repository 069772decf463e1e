import { defineConfig } from 'vitest/config'

/** Load in real time, through k6; the default project leaves this file out. */
export default defineConfig({
  test: { name: 'load', include: ['cli/load/k6.test.ts'], root: `${import.meta.dirname}/..`, maxConcurrency: 3 },
})

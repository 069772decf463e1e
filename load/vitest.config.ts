import { defineConfig } from 'vitest/config'

/** Load in real time, through k6; the default project leaves these files out. */
export default defineConfig({
  test: { name: 'load', include: ['load/**/*.load.ts'], root: `${import.meta.dirname}/..`, maxConcurrency: 3 },
})

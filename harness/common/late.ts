import { createRequire } from 'node:module'

/** Loads a package at its first use: most commands do without it, and start sooner. */
export const loadLate = createRequire(import.meta.url)

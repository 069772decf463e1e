import { basename, dirname, join } from 'node:path'

const here = import.meta.dirname

/** Where the scripts and the pin of k6 are: this folder, also for what was compiled out of it into `dist/load`. */
export const loadFolder = basename(dirname(here)) === 'dist' ? join(here, '..', '..', 'load') : here

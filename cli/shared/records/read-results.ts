import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { jsonIn } from '../../../harness/exchange/exchange.ts'
import type { NamedResults } from '../../../results/merge.ts'
import type { Results } from '../../../results/types.ts'
import { UsageError } from '../errors.ts'
import { program } from '../package-paths.ts'
import { isFile } from './output-folders.ts'
import { schemaCheck } from './schema.ts'

const resultsName = 'results.json'
const remedyOfAnother =
  'give the folder of a run, or its results.json; without evidence.ndjson beside it, this file cannot be written again'

/**
 * A reader of results that are named by their folder or by the file itself. It throws UsageError for anything else, which it
 * names as it was `typed`, such as `--baseline out`.
 */
export function resultsReader(cwd: string): (name: string, typed?: string) => NamedResults {
  const faultOf = schemaCheck('results')
  return (name, typed = name) => {
    const file = resultsFile(cwd, name)
    const shown = relative(cwd, file)
    const again = `write it again with ${program} replay ${relative(cwd, dirname(file)) || '.'} --out FOLDER`
    const hasRecord = existsSync(join(dirname(file), 'evidence.ndjson'))
    if (!isFile(file)) {
      const remedy = hasRecord
        ? `load smoke, mixed and soak judge no rules; for any other run, ${again}`
        : `${program} check, load limits and load pods write one with --out FOLDER`
      throw new UsageError(
        `${typed} ${existsSync(resolve(cwd, name)) ? 'holds no results.json' : 'does not exist'}; ${remedy}`,
      )
    }
    const results = jsonIn(readFileSync(file, 'utf8'))
    if (results === undefined) {
      throw new UsageError(`${shown} is not JSON; ${hasRecord ? again : remedyOfAnother}`)
    }
    const fault = faultOf(results)
    if (fault === null) return { name, results: results as Results }
    throw new UsageError(
      `${shown} should be the results of this version, and ${fault}; ${hasRecord ? again : remedyOfAnother}`,
    )
  }
}

/** The path of results that are named by their folder or by the file itself; it may not exist. */
export function resultsFile(cwd: string, name: string): string {
  const path = resolve(cwd, name)
  return basename(path) === resultsName || isFile(path) ? path : join(path, resultsName)
}

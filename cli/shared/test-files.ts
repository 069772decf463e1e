import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { allRules } from '../../harness/rule/registry.ts'
import { home } from './package-paths.ts'
import { suiteFiles } from './records/digests.ts'

/** The suite file of each rule: the one whose import put it into the registry. Call it before anything imports a suite. */
export async function testFiles(): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (const file of suiteFiles().filter((name) => /\.suite\.[jt]s$/.test(name))) {
    await import(pathToFileURL(join(home, 'suites', file)).href)
    for (const { id } of allRules()) if (!found.has(id)) found.set(id, `suites/${file.replace(/\.js$/, '.ts')}`)
  }
  return found
}

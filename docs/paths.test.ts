import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const files = globSync('**/*.{md,mjs,ts}', { exclude: ['**/node_modules/**', 'dist/**', 'out/**'] })

/** Source files that a page names with their folder, which may be shortened at its beginning. */
function sourcesIn(page: string): readonly string[] {
  return [...readFileSync(page, 'utf8').matchAll(/`([\w.-]+\/[\w./-]+\.(?:ts|mjs))`/g)].flatMap(
    ([, path]) => path ?? [],
  )
}

test.each(files.filter((file) => file.endsWith('.md')))('%s names source files that exist', (page) => {
  const isMissing = (path: string) => !files.some((file) => `/${file}`.endsWith(`/${path}`))
  expect(sourcesIn(page).filter(isMissing)).toEqual([])
})

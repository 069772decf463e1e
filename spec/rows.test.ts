import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const folder = join(import.meta.dirname, 'rules')
const row =
  /^- \{ id: [\w.-]+, area: \w+, profile: [\w-]+, level: \w+, basis: \w+, source: .+?,( needs: \[.+?\],)?( parts: \[.+?\],)?( wait: \w+,)? says: ".+"(, judged: ".+")? \}$/

test.each(readdirSync(folder).filter((name) => name.endsWith('.yaml') && name !== 'retired.yaml'))(
  '%s: each row is one line, its members in one order',
  (name) => {
    const lines = readFileSync(join(folder, name), 'utf8').split('\n')
    expect(lines.filter((line) => line !== '' && !line.startsWith('# ') && !row.test(line))).toEqual([])
  },
)

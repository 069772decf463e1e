// biome-ignore-all lint/suspicious/noTemplateCurlyInString: target files name their variables so.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generate } from 'selfsigned'
import { beforeAll, describe, expect, test } from 'vitest'
import { operationsOf } from '../generated/operations.ts'
import { type RuleRow, rules } from '../generated/rules.ts'
import { temporary } from '../harness/testing/temporary.ts'
import { parseTarget } from './load.ts'
import { environment, file, parse } from './testing/parse.ts'
import { writeTarget } from './write.ts'

describe('docs/target-file.md', () => {
  const page = readFileSync(new URL('../docs/target-file.md', import.meta.url), 'utf8')
  const blocks = [...page.matchAll(/```yaml\n(.*?)```/gs)].map(([, text = '']) => text)

  const folder = join(temporary, 'target-file')
  const parseBlock = (text: string) => parseTarget(text, { file: join(folder, 'target.yaml'), environment })

  beforeAll(async () => {
    const { cert, private: key } = await generate()
    mkdirSync(join(folder, 'certificates'), { recursive: true })
    for (const [name, pem] of Object.entries({ 'authority.pem': cert, 'client.pem': cert, 'client.key': key }))
      writeFileSync(join(folder, 'certificates', name), pem)
  })

  test.each(blocks)('block %# is a target file', (text) => {
    expect(() => parseBlock(text)).not.toThrow()
  })

  test('names every key of the schema', () => {
    const schema = readFileSync(new URL('../spec/schemas/target.schema.json', import.meta.url), 'utf8')
    const { properties } = JSON.parse(schema) as { properties: Record<string, { properties?: object }> }
    const names = Object.entries(properties).flatMap(([name, part]) => [name, ...Object.keys(part.properties ?? {})])
    expect(names.filter((name) => !page.includes(`\`${name}\``) && !page.includes(`.${name}\``))).toEqual([])
  })

  test.each(['pods', 'queue', 'management'] as const)('has the default paths of %s', (plane) => {
    const rows = Object.entries<{ path: string }>(operationsOf(plane)).map(
      ([name, { path }]) => `| \`${plane}.paths\` | \`${name}\` | \`${path}\` |`,
    )
    expect(rows.filter((row) => !page.includes(row))).toEqual([])
  })

  test('names every need of a rule', () => {
    const needs = new Set(rules.flatMap((row: RuleRow) => [...row.needs, ...row.parts]))
    expect([...needs].filter((need) => !page.includes(`\`${need}\``))).toEqual([])
  })

  test('what is written reads as the same target', () => {
    for (const { pods, network } of blocks.map(parseBlock)) {
      if (pods === null) continue
      // Of the files of a network only the texts are known.
      const headers = { ca: null, certificate: null, headers: network.headers }
      const target = { ...parse(file({ keys: '{full: plumbline-example-full}' })), pods: { ...pods }, network: headers }
      const safe = { ...target, pods: { ...pods, url: 'https://a.test' } }
      expect(parse(writeTarget(safe))).toEqual(safe)
    }
  })
})

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import type { Inputs } from './inputs.ts'
import { generateValidators } from './validators.ts'

const NODE = { type: 'object', required: ['name'], properties: { name: { type: 'string', minLength: 1 } } }
const folder = mkdtempSync(join(dirname(fileURLToPath(import.meta.url)), '.validators-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('validators report every failure, follow references in a circle, and leave annotations alone', async () => {
  const { validators } = await load({
    Tree: {
      ...NODE,
      properties: { ...NODE.properties, child: { $ref: '#/components/schemas/Tree' } },
      'x-source': 'Pod',
    },
    When: { type: ['string', 'null'], format: 'date-time', example: null },
  })
  expect(validators.Tree?.({ name: 'a', child: { name: 'b' } })).toBe(true)
  expect(validators.Tree?.({ child: { name: '' } })).toBe(false)
  expect(validators.Tree?.errors?.map(({ keyword, instancePath }) => `${keyword} at ${instancePath}`)).toEqual([
    'required at ',
    'minLength at /child/name',
  ])
  expect([null, '2026-01-02T03:04:05Z', 'now'].map((value) => validators.When?.(value))).toEqual([true, true, false])
})

test('a keyword that does not exist is refused', () => {
  expect(() => generateValidators(inputs({ Odd: { type: 'string', minLenght: 1 } }))).toThrow('minLenght')
})

interface Loaded {
  readonly validators: Record<
    string,
    ((data: unknown) => boolean) & { errors?: { keyword: string; instancePath: string }[] }
  >
}

async function load(schemas: object): Promise<Loaded> {
  const path = join(folder, 'validators.ts')
  writeFileSync(path, generateValidators(inputs(schemas)).text)
  const document = JSON.stringify({ components: { schemas } })
  writeFileSync(join(folder, 'openapi.ts'), `export const openapi = ${document}`)
  return import(pathToFileURL(path).href)
}

function inputs(schemas: object): Inputs {
  const openapi = { path: '', text: '', data: null }
  return { openapi, document: { openapi: '3.1.0', paths: {}, components: { schemas } } } as unknown as Inputs
}

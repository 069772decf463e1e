import SwaggerParser from '@apidevtools/swagger-parser'
import { afterAll, expect, test } from 'vitest'
import { defaultKeys } from '../../reference/index.ts'
import { createMock } from './app.ts'
import { createServed } from './served.ts'

// The document as somebody meets it who pastes its examples: each request example is sent to the address that it names.

interface Example {
  readonly value: unknown
}

interface Parameter extends Partial<Example> {
  readonly name: string
  readonly in: string
  readonly example?: unknown
}

interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { example?: unknown; examples?: object }>> }
}

interface Server {
  readonly url: string
}

interface Document {
  readonly servers: readonly [Server]
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

const origin = 'http://127.0.0.1:4010'
const served = createServed({ kind: 'real', change: (base) => base })
const fetch = createMock({ served })
const text = await (await fetch(new Request(`${origin}/openapi.json`))).text()
const document = (await SwaggerParser.dereference(JSON.parse(text))) as unknown as Document

/** Path parameters without an example: a resource that is there, of pods and endpoints the first that an example makes. */
const ids: Record<string, string> = { endpoint_id: 'normal' }

afterAll(() => served.close())

test.each(requests())('$name is accepted', async ({ method, url, body, tag }) => {
  const address = url.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[`${tag} ${name}`] ?? ids[name] ?? name)
  const headers = { authorization: `Bearer ${defaultKeys.full}`, 'content-type': 'application/json' }
  const response = await fetch(new Request(address, { method, headers, body: JSON.stringify(body) }))
  const answer = await response.text()
  expect([200, 201, 204], answer).toContain(response.status)
  if (answer.startsWith('{"id"')) ids[`${tag} id`] ??= (JSON.parse(answer) as { id: string }).id
})

test('all operations with a body are tried', () => {
  expect(new Set(requests().map(({ operation }) => operation)).size).toBe(11)
})

function requests() {
  return Object.entries(document.paths).flatMap(([path, item]) => {
    const [{ url }] = (item.servers as Document['servers'] | undefined) ?? document.servers
    const shared = (item.parameters ?? []) as readonly Parameter[]
    return Object.entries(item).flatMap(([method, operation]) =>
      isOperation(operation)
        ? examplesOf(operation).map(([example, body]) => ({
            name: `${operation.operationId} ${example}`,
            operation: operation.operationId,
            tag: operation.tags[0],
            method: method.toUpperCase(),
            url: url + withExamples(path, [...shared, ...(operation.parameters ?? [])]),
            body,
          }))
        : [],
    )
  })
}

function isOperation(value: unknown): value is Operation {
  return typeof value === 'object' && value !== null && 'requestBody' in value
}

/** The examples of a body, by name. */
function examplesOf({ requestBody }: Operation): [string, unknown][] {
  return Object.values(requestBody?.content ?? {}).flatMap(({ example, examples = {} }): [string, unknown][] => [
    ...(example === undefined ? [] : [['example', example] as [string, unknown]]),
    ...Object.entries(examples).map(([name, { value }]: [string, Example]): [string, unknown] => [name, value]),
  ])
}

/** A path with the examples of its parameters; those of the query are added. */
function withExamples(path: string, parameters: readonly Parameter[]): string {
  const given = parameters.filter(({ example }) => example !== undefined)
  const inPath = given.filter((one) => one.in === 'path')
  const query = given.filter((one) => one.in === 'query').map(({ name, example }) => `${name}=${example}`)
  const whole = inPath.reduce((text, { name, example }) => text.replace(`{${name}}`, String(example)), path)
  return query.length === 0 ? whole : `${whole}?${query.join('&')}`
}

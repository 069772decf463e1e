import { literal, type Output, union, withHeader } from './header.ts'
import type { Document, Inputs, Schema, Source } from './inputs.ts'

const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'] as const

const TYPES = `/** One operation of the API. */
export interface OperationFacts {
  readonly plane: PlaneName
  readonly method: string
  /** Template of the path, with the placeholders that a target file uses; a \`{route}\` begins with its slash. */
  readonly path: string
  /** True if the target may hold the response until something has happened. */
  readonly held: boolean
  /** True if a response hands something out that the next one no longer has. */
  readonly consumed: boolean
  /** The component schema of the JSON body; null if there is no body, or a schema without a name. */
  readonly body: string | null
  /** Statuses of success, ascending. */
  readonly success: readonly number[]
  /** The rate of the description that limits the operation; null if there is none. */
  readonly rate: RateOperation | null
}`

const OF_PLANE = `/** The operations of one plane. */
export type OperationOf<Plane extends PlaneName> = {
  [O in OperationId]: (typeof operations)[O]['plane'] extends Plane ? O : never
}[OperationId]

/** The operations of one plane, by name. */
export function operationsOf<Plane extends PlaneName>(
  plane: Plane,
): { readonly [O in OperationOf<Plane>]: OperationFacts } {
  const all = Object.entries<OperationFacts>(operations).filter(([, facts]) => facts.plane === plane)
  return Object.fromEntries(all) as { readonly [O in OperationOf<Plane>]: OperationFacts }
}`

interface OperationObject {
  readonly operationId: string
  readonly tags?: readonly string[]
  readonly 'x-held'?: boolean
  readonly 'x-consumed'?: boolean
  readonly requestBody?: Schema
  readonly responses: Readonly<Record<string, unknown>>
}

type Rates = Readonly<Record<string, { readonly path: string; readonly method: string }>>

/** operations.ts: the operations of the document, each with its plane. */
export function generateOperations({ document, openapi, tables }: Inputs): Output {
  const rows = readOperations(document, ratesOf(tables))
  const body = [
    "import type { RateOperation } from './tables.ts'",
    `/** The planes of the API: \`x-plane\` of a tag, or its name. */\nexport type PlaneName = ${union(planesOf(document))}`,
    TYPES,
    `export const operations = ${literal(rows)} as const satisfies Readonly<Record<string, OperationFacts>>`,
    '/** An operationId of the document. */\nexport type OperationId = keyof typeof operations',
    OF_PLANE,
  ].join('\n\n')
  return { name: 'operations.ts', text: withHeader(body, [openapi.text, tables.text]) }
}

/** The operations of a document by operationId. Throws if one has no plane or no status of success. */
export function readOperations(document: Document, rates: Rates = {}) {
  const entries = Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = (item as Readonly<Record<string, OperationObject | undefined>>)[method]
      if (operation === undefined) return []
      const { operationId, responses, 'x-held': held = false, 'x-consumed': consumed = false } = operation
      const success = Object.keys(responses)
        .map(Number)
        .filter((status) => status >= 200 && status < 300)
      if (success.length === 0) throw new Error(`spec/openapi.yaml: ${operationId} has no status of success.`)
      const row = {
        plane: planeOf(document, operation),
        method: method.toUpperCase(),
        path: path.replaceAll('_id}', '}').replace('/{route}', '{route}'),
        held,
        consumed,
        body: schemaNameOf(resolve(document, operation.requestBody)),
        success,
        rate: rateOf(path, method.toUpperCase(), rates),
      }
      return [[operationId, row] as const]
    }),
  )
  return Object.fromEntries(entries)
}

function planesOf({ tags }: Document): string[] {
  return (tags as readonly { name: string; 'x-plane'?: string }[]).map((tag) => tag['x-plane'] ?? tag.name)
}

function planeOf(document: Document, { operationId, tags = [] }: OperationObject): string {
  const all = document.tags as readonly { name: string }[]
  const plane = planesOf(document)[all.findIndex(({ name }) => name === tags[0])]
  if (plane === undefined) throw new Error(`spec/openapi.yaml: ${operationId} has no tag of a plane.`)
  return plane
}

function resolve(document: Document, node: Schema | undefined): Schema | undefined {
  const ref = node?.$ref
  if (typeof ref !== 'string') return node
  return ref
    .split('/')
    .slice(1)
    .reduce<unknown>((found, key) => (found as Record<string, unknown>)[key], document) as Schema
}

function schemaNameOf(body: Schema | undefined): string | null {
  const content = body?.content as Readonly<Record<string, { schema?: Schema }>> | undefined
  return /^#\/components\/schemas\/(\w+)$/.exec(String(content?.['application/json']?.schema?.$ref))?.[1] ?? null
}

/** A rate is given by the path below an endpoint: \`/openai/*\` is \`/v2/{endpoint_id}/openai/{route}\`. */
function rateOf(path: string, method: string, rates: Rates): string | null {
  const below = path
    .replace(/^\/v2\/\{endpoint_id\}/, '')
    .replace(/\/\{job_id\}$/, '')
    .replace('{route}', '*')
  const found = Object.entries(rates).find(([, rate]) => rate.path === below && rate.method === method)
  return found?.[0] ?? null
}

function ratesOf({ data }: Source): Rates {
  return (data as { readonly rates?: { readonly rows: Rates } }).rates?.rows ?? {}
}

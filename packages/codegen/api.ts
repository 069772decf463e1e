import openapiTypescript, { astToString } from 'openapi-typescript'
import { literal, type Output, withHeader } from './header.ts'
import type { Inputs } from './inputs.ts'

const TYPE = `/** The bundled OpenAPI document, typed loosely: it is there to be served. */
export interface OpenApiDocument {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string; readonly [key: string]: unknown }
  readonly paths: { readonly [path: string]: unknown }
  readonly components: { readonly [kind: string]: { readonly [name: string]: unknown } }
  readonly [key: string]: unknown
}`

const usual = { rootTypes: true, rootTypesNoSchemaPrefix: true, silent: true }

/** api.ts: the types of paths, operations and components, and one alias for each component schema. */
export async function generateApi({ document, openapi }: Inputs): Promise<Output> {
  const ast = await openapiTypescript(JSON.stringify(withoutConditions(document)), usual)
  return { name: 'api.ts', text: withHeader(astToString(ast), [openapi.text]) }
}

/** target-file.ts: the types of the target file and of the parts that its schema names. */
export async function generateTargetFile({ targetSchema }: Inputs): Promise<Output> {
  const { $defs, ...targetFile } = targetSchema.data as { readonly $defs: object }
  const document = { openapi: '3.1.0', info: {}, components: { schemas: { targetFile, ...$defs } } }
  const text = JSON.stringify(document).replaceAll('#/$defs/', '#/components/schemas/')
  const ast = await openapiTypescript(text, { ...usual, emptyObjectsUnknown: true, immutable: true })
  return { name: 'target-file.ts', text: withHeader(astToString(ast), [targetSchema.text]) }
}

/** openapi.ts: the bundled document as a value. */
export function generateOpenapi({ document, openapi }: Inputs): Output {
  const body = `${TYPE}\n\nexport const openapi: OpenApiDocument = ${literal(document)}`
  return { name: 'openapi.ts', text: withHeader(body, [openapi.text]) }
}

/** A copy without the members of allOf that only constrain: in types, each would be an `unknown`. */
export function withoutConditions(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutConditions)
  if (typeof node !== 'object' || node === null) return node
  const { allOf, ...others } = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, withoutConditions(value)]),
  )
  if (!Array.isArray(allOf)) return { ...others, ...(allOf === undefined ? {} : { allOf }) }
  const typed = allOf.filter((member) => '$ref' in member || 'type' in member)
  return typed.length === 0 ? others : { ...others, allOf: typed }
}

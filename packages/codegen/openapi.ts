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

/** openapi.ts: the bundled document as a value. */
export function generateOpenapi({ document, openapi }: Inputs): Output {
  const body = `${TYPE}\n\nexport const openapi: OpenApiDocument = ${literal(document)}`
  return { name: 'openapi.ts', text: withHeader(body, [openapi.text]) }
}

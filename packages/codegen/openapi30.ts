import { Converter } from '@apiture/openapi-down-convert'
import { withoutConditions } from './api.ts'
import { literal, type Output, withHeader } from './header.ts'
import type { Inputs } from './inputs.ts'

type Members = Readonly<Record<string, unknown>>

/** openapi30.ts: the document in OpenAPI 3.0, for generators of clients that know nothing newer. */
export function generateOpenapi30({ document, openapi }: Inputs): Output {
  const { summary: _, ...info } = document.info as Members
  const prepared = expressible(withoutConditions({ ...document, info })) as object
  const converted = new Converter(prepared, { allOfTransform: true }).convert()
  const body = `import type { OpenApiDocument } from './openapi.ts'\n\n/** The document in OpenAPI 3.0, without webhooks and without conditions. */\nexport const openapi30: OpenApiDocument = ${literal(converted)}`
  return { name: 'openapi30.ts', text: withHeader(body, [openapi.text]) }
}

/** Schemas without keywords that OpenAPI 3.0 does not have and the converter leaves: if, then, else, and null as a type. */
function expressible(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(expressible)
  if (typeof node !== 'object' || node === null) return node
  const { if: _if, then: _then, else: _else, ...kept } = node as Readonly<Record<string, unknown>>
  const { oneOf, ...others } = Object.fromEntries(Object.entries(kept).map(([key, value]) => [key, expressible(value)]))
  if (!Array.isArray(oneOf)) return oneOf === undefined ? others : { ...others, oneOf }
  const types = oneOf.filter((one) => one.type !== 'null')
  if (types.length === oneOf.length) return { ...others, oneOf }
  return { ...others, nullable: true, ...(types.length === 1 ? { allOf: types } : { oneOf: types }) }
}

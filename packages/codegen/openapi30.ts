import { isDeepStrictEqual } from 'node:util'
import { Converter } from '@apiture/openapi-down-convert'
import { applyMergePatch, isMapping } from '../../harness/common/merge-patch.ts'
import { withoutConditions } from './api.ts'
import { literal, type Output, withHeader } from './header.ts'
import type { Inputs } from './inputs.ts'

type Members = Readonly<Record<string, unknown>>

/** openapi30.ts: the changes that make the document one of OpenAPI 3.0, for generators of clients that know nothing newer. */
export function generateOpenapi30({ document, openapi }: Inputs): Output {
  const { summary: _, ...info } = document.info as Members
  const prepared = expressible(withoutConditions({ ...document, info })) as object
  const converted = new Converter(prepared, { allOfTransform: true }).convert() as unknown as Members
  const patch = mergePatch(document as unknown as Members, converted)
  if (!isDeepStrictEqual(applyMergePatch(document as unknown as Members, patch), converted)) {
    throw new Error('no merge patch makes the document one of OpenAPI 3.0, because one of its values would be null')
  }
  const body = `/** A JSON merge patch (RFC 7396) of the document to OpenAPI 3.0, without webhooks and without conditions. */\nexport const openapi30Patch: { readonly [key: string]: unknown } = ${literal(patch)}`
  return { name: 'openapi30.ts', text: withHeader(body, [openapi.text]) }
}

/** The JSON merge patch that makes `to` of `from`. */
function mergePatch(from: Members, to: Members): Members {
  const gone = Object.keys(from).filter((key) => !(key in to))
  const changed = Object.entries(to).filter(([key, value]) => !isDeepStrictEqual(from[key], value))
  const entries = changed.map(([key, value]) => {
    const before = from[key]
    return [key, isMapping(value) ? mergePatch(isMapping(before) ? before : {}, value) : value] as const
  })
  return Object.fromEntries([...gone.map((key) => [key, null] as const), ...entries])
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

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import SwaggerParser from '@apidevtools/swagger-parser'
import { parse } from 'yaml'

/** A file of the specification: its path relative to the repository, its text, and what the YAML in it says. */
export interface Source {
  readonly path: string
  readonly text: string
  readonly data: unknown
}

/** A JSON Schema as it stands in the document. */
export interface Schema {
  readonly [keyword: string]: unknown
}

/** The bundled OpenAPI document; only what the generator looks at has a type. */
export interface Document {
  readonly openapi: string
  readonly paths: { readonly [path: string]: unknown }
  readonly components: { readonly schemas: { readonly [name: string]: Schema } }
  readonly [key: string]: unknown
}

/** All that the generated files are made from. */
export interface Inputs {
  readonly openapi: Source
  readonly document: Document
  readonly tables: Source
  readonly headings: Source
  readonly targetSchema: Source
  readonly rules: readonly Source[]
}

const NO_LEDGER = new Set(['retired.yaml'])

/** Reads spec/ below `root` and bundles the OpenAPI document. Throws if YAML or a reference cannot be read. */
export async function readInputs(root: string): Promise<Inputs> {
  const openapi = readSource(root, 'spec/openapi.yaml')
  const ruleFiles = readdirSync(join(root, 'spec/rules')).filter(
    (name) => name.endsWith('.yaml') && !NO_LEDGER.has(name),
  )
  return {
    openapi,
    document: await bundle(openapi.data),
    tables: readSource(root, 'spec/tables.yaml'),
    headings: readSource(root, 'spec/headings.yaml'),
    targetSchema: readSource(root, 'spec/schemas/target.schema.json'),
    rules: ruleFiles.sort().map((name) => readSource(root, `spec/rules/${name}`)),
  }
}

/** Bundles a parsed document. YAML aliases are copied apart first, so that nothing is shared. */
async function bundle(data: unknown): Promise<Document> {
  const document = await SwaggerParser.bundle(JSON.parse(JSON.stringify(data)))
  return document as unknown as Document
}

function readSource(root: string, path: string): Source {
  const text = readFileSync(join(root, path), 'utf8')
  try {
    return { path, text, data: parse(text) }
  } catch (error) {
    throw new Error(`${path} is not YAML: ${error instanceof Error ? error.message : String(error)}`)
  }
}

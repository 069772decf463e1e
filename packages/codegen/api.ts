import openapiTypescript, { astToString } from 'openapi-typescript'
import { type Output, withHeader } from './header.ts'
import type { Inputs } from './inputs.ts'

/** api.ts: the types of paths, operations and components, and one alias for each component schema. */
export async function generateApi({ document, openapi }: Inputs): Promise<Output> {
  const ast = await openapiTypescript(JSON.stringify(document), {
    alphabetize: false,
    defaultNonNullable: false,
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
    silent: true,
  })
  return { name: 'api.ts', text: withHeader(astToString(ast), [openapi.text]) }
}

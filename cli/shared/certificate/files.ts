import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The files that a statement cannot list. */
export const statementFile = 'statement.json'
export const envelopeFile = 'certificate.dsse.json'

/** A file of a certificate, as in-toto lists it. */
export interface Subject {
  readonly name: string
  readonly digest: { readonly sha256: string }
}

/** All files below a folder but the statement and its envelope, sorted, with their digests. */
export function subjectsOf(dir: string): Subject[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(dir, '/').length).replaceAll('\\', '/'))
    .filter((name) => name !== statementFile && name !== envelopeFile)
    .sort()
    .map((name) => ({ name, digest: { sha256: sha256Of(join(dir, name)) } }))
}

/** A link could lead to other bytes for the next reader. */
function sha256Of(file: string): string {
  if (!lstatSync(file).isFile()) return 'not a regular file'
  return createHash('sha256').update(readFileSync(file)).digest('hex')
}

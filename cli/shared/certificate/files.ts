import { createHash } from 'node:crypto'
import { type Dirent, lstatSync, readdirSync, readFileSync } from 'node:fs'
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
  return entriesIn(dir, (entry) => !entry.isDirectory())
    .filter((name) => name !== statementFile && name !== envelopeFile)
    .sort()
    .map((name) => ({ name, digest: { sha256: sha256Of(join(dir, name)) } }))
}

/** Entries of a folder that no certificate has: folders without a file, and in place of statement and envelope anything but a file. */
export function foreignEntries(dir: string, subjects: readonly Subject[]): string[] {
  const folders = entriesIn(dir, (entry) => entry.isDirectory()).filter(
    (name) => !subjects.some((subject) => subject.name.startsWith(`${name}/`)),
  )
  const special = [statementFile, envelopeFile].filter((name) => {
    const found = lstatSync(join(dir, name), { throwIfNoEntry: false })
    return found !== undefined && !found.isFile()
  })
  return [...new Set([...special, ...folders])].sort()
}

/** Paths of the entries below a folder; a link is not followed. */
function entriesIn(dir: string, isWanted: (entry: Dirent) => boolean): string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter(isWanted)
    .map((entry) => join(entry.parentPath, entry.name).slice(join(dir, '/').length).replaceAll('\\', '/'))
}

/** A link could lead to other bytes for the next reader. */
function sha256Of(file: string): string {
  if (!lstatSync(file).isFile()) return 'not a regular file'
  return createHash('sha256').update(readFileSync(file)).digest('hex')
}

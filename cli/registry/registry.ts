import type { KeyObject } from 'node:crypto'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { type RegisteredCertificate, renderRegistry, stateOf } from '../../reports/registry.ts'
import { visible } from '../../reports/sort.ts'
import { exitCodes } from '../../verdicts/exit-codes.ts'
import { statementFile } from '../shared/certificate/files.ts'
import { readPublicKey } from '../shared/certificate/keys.ts'
import { verifyCertificate } from '../shared/certificate/verify.ts'
import { UsageError } from '../shared/errors.ts'
import type * as commands from '../shared/options.ts'
import { isFile, isFolder, writableFile } from '../shared/records/output-folders.ts'
import type { Terminal } from '../shared/terminal.ts'

type Options = commands.OptionsOf<typeof commands.registry>

/** Verifies each certificate in a folder, by the key in NAME.pem beside NAME/, and writes a page of them. */
export async function registry(folder: string, { out }: Options, terminal: Terminal): Promise<number> {
  const dir = resolve(terminal.cwd, folder)
  if (isFile(join(dir, statementFile)))
    throw new UsageError(`${folder} is a certificate; name the folder that holds it`)
  if (!isFolder(dir)) throw new UsageError(`${folder} is not a folder; name one with a folder for each certificate`)
  const names = readdirSync(dir).filter((name) => !name.startsWith('.') && isFolder(join(dir, name)))
  if (names.length === 0) throw new UsageError(`${folder} holds no certificates; name a folder with a folder for each`)
  const file = writableFile(terminal.cwd, '--out', out ?? join(folder, 'index.html'))
  const rows: RegisteredCertificate[] = []
  for (const name of names.sort()) {
    const row = await verified(dir, name)
    terminal.out(visible(`${name}: ${stateOf(row)}`))
    rows.push(row)
  }
  writeFileSync(file, renderRegistry(rows, relative(dirname(file), dir)))
  terminal.out(`page: ${file}`)
  if (rows.some(({ faults }) => faults.length > 0)) return exitCodes['not conformant']
  return rows.some(({ unchecked }) => unchecked.length > 0) ? exitCodes.incomplete : exitCodes.conformant
}

async function verified(dir: string, name: string): Promise<RegisteredCertificate> {
  const key = keyOf(dir, `${name}.pem`)
  if (typeof key === 'string') return { name, claims: null, faults: [key], unchecked: [] }
  const { statement, faults, unchecked } = await verifyCertificate(join(dir, name), key, `${name}.pem`)
  return { name, claims: statement?.predicate ?? null, faults, unchecked }
}

/** The key in a file; null without the file; a sentence if it is not a public key. */
function keyOf(dir: string, name: string): KeyObject | string | null {
  if (!existsSync(join(dir, name))) return null
  if (!isFile(join(dir, name))) return `${name} is not a file`
  try {
    return readPublicKey(name, { cwd: dir }, name)
  } catch (error) {
    if (error instanceof UsageError) return error.message
    throw error
  }
}

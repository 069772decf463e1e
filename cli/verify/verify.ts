import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pluralize } from '../../harness/common/pluralize.ts'
import { visible } from '../../reports/sort.ts'
import { exitCodes } from '../../verdicts/exit-codes.ts'
import type { Statement } from '../shared/certificate/contents.ts'
import { envelopeFile, statementFile } from '../shared/certificate/files.ts'
import { readPublicKey } from '../shared/certificate/keys.ts'
import { type Verified, verifyCertificate } from '../shared/certificate/verify.ts'
import { UsageError } from '../shared/errors.ts'
import type * as commands from '../shared/options.ts'
import { program } from '../shared/package-paths.ts'
import { isFile, isFolder } from '../shared/records/output-folders.ts'
import type { Terminal } from '../shared/terminal.ts'

type Options = commands.OptionsOf<typeof commands.verify>

/** Checks a certificate without its target, and prints its faults, or its claims if it has none. Returns the exit code. */
export async function verify(folder: string, { key }: Options, terminal: Terminal): Promise<number> {
  const dir = resolve(terminal.cwd, folder)
  if (!isFolder(dir)) throw new UsageError(`${folder} is not a folder; name the folder of a certificate`)
  // An envelope alone is what is left of a damaged certificate.
  if (![statementFile, envelopeFile].some((name) => existsSync(join(dir, name))))
    throw new UsageError(notCertificateText(dir, folder))
  const publicKey = key === undefined ? null : readPublicKey(key, terminal)
  const verified = await verifyCertificate(dir, publicKey)
  const { faults, unchecked } = verified
  for (const line of [...faults, ...unchecked, ...claimsOf(verified)]) terminal.out(visible(line))
  if (faults.length > 0) {
    terminal.out(`not valid: ${pluralize(faults.length, 'fault')}`)
    return exitCodes['not conformant']
  }
  terminal.out(unchecked.length > 0 ? 'not fully checked, and without faults so far' : 'valid')
  return unchecked.length > 0 ? exitCodes.incomplete : exitCodes.conformant
}

function notCertificateText(dir: string, folder: string): string {
  const held = readdirSync(dir).filter((name) => isFile(join(dir, name, statementFile))).length
  if (held === 0)
    return `${folder} is not a certificate: it has neither ${statementFile} nor ${envelopeFile}; name the folder of one`
  return `${folder} holds ${pluralize(held, 'certificate')}; ${program} registry ${folder} shows ${held === 1 ? 'it' : 'them'}`
}

/** The claims of a certificate, in lines; none beside a fault. */
function claimsOf({ statement, signature, faults }: Verified): string[] {
  if (statement === null || faults.length > 0) return []
  const { keyId } = statement.predicate
  const heads = {
    valid: `claims signed by ${keyId}:`,
    missing: 'claims of a certificate that nobody signed:',
    'not checked': `claims of a certificate whose signature by ${keyId} was not checked:`,
    'not valid': '',
  }
  return [heads[signature], ...linesOf(statement).map((line) => `  ${line}`)]
}

function linesOf({ predicate }: Statement): string[] {
  const { target, verdict, plumbline, clock, profiles, notJudged: unjudgedProfiles, load, runs, finished } = predicate
  return [
    `claims to be ${target}, ${verdict} by plumbline ${plumbline}, finished ${finished}, ${clock} clock`,
    `profiles: ${profiles.join(', ')}`,
    ...unjudgedProfiles.map(({ profile, reason }) => `not judged: ${profile} (${reason})`),
    ...(load === null || load.windowScale === 1 ? [] : [`load in windows of ${load.windowScale} of their length`]),
    ...runs.map(({ folder, seed, line }) => `${folder}, seed ${seed}: ${line}`),
  ]
}

import { resolve } from 'node:path'
import { pluralize } from '../../harness/common/pluralize.ts'
import { exitCodes } from '../../verdicts/exit-codes.ts'
import type { Statement } from '../shared/certificate/contents.ts'
import { readPublicKey } from '../shared/certificate/keys.ts'
import { verifyCertificate } from '../shared/certificate/verify.ts'
import { UsageError } from '../shared/errors.ts'
import type * as commands from '../shared/options.ts'
import { isFolder } from '../shared/output-folders.ts'
import type { Terminal } from '../shared/terminal.ts'

type Options = commands.OptionsOf<typeof commands.verify>

/** Checks a certificate without its target, and says what it claims. Returns the exit code. */
export async function verify(folder: string, { key }: Options, terminal: Terminal): Promise<number> {
  const dir = resolve(terminal.cwd, folder)
  if (!isFolder(dir)) throw new UsageError(`${folder} is not a folder; name the folder of a certificate`)
  const publicKey = key === undefined ? null : readPublicKey(key, terminal)
  const { statement, faults, unchecked } = await verifyCertificate(dir, publicKey)
  if (statement !== null) for (const line of linesOf(statement)) terminal.out(line)
  for (const line of [...faults, ...unchecked]) terminal.out(line)
  if (faults.length > 0) {
    terminal.out(`not valid: ${pluralize(faults.length, 'fault')}`)
    return exitCodes['not conformant']
  }
  terminal.out(unchecked.length > 0 ? 'not fully checked, and without faults so far' : 'valid')
  return unchecked.length > 0 ? exitCodes.incomplete : exitCodes.conformant
}

/** The claims of a certificate, in lines. */
function linesOf({ predicate }: Statement): string[] {
  const { target, verdict, plumbline, clock, profiles, notJudged, load, runs, finished, keyId } = predicate
  return [
    `${target}: ${verdict} by plumbline ${plumbline}, finished ${finished}, ${clock} clock`,
    `profiles: ${profiles.join(', ')}`,
    ...notJudged.map(({ profile, reason }) => `not judged: ${profile} (${reason})`),
    ...(load === null || load.windowScale === 1 ? [] : [`load in windows of ${load.windowScale} of their length`]),
    ...runs.map(({ folder, seed, line }) => `${folder}, seed ${seed}: ${line}`),
    keyId === null ? 'unsigned' : `signed by ${keyId}`,
  ]
}

import { randomInt } from 'node:crypto'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { jsonText } from '../../harness/common/escape.ts'
import { exitCodes } from '../../verdicts/exit-codes.ts'
import { derivedFiles, faultsOf, runFolders, statementOf } from '../shared/certificate/contents.ts'
import { envelopeText, preAuthEncoding, statementType } from '../shared/certificate/dsse.ts'
import { envelopeFile, statementFile, subjectsOf } from '../shared/certificate/files.ts'
import { type Signer, signerOf } from '../shared/certificate/keys.ts'
import { refuseUnclaimed, type Scope, scopeOf } from '../shared/certificate/scope.ts'
import { judgedRuns } from '../shared/certificate/verify.ts'
import { BrokenError, UsageError } from '../shared/errors.ts'
import type * as commands from '../shared/options.ts'
import { writableFolder } from '../shared/records/output-folders.ts'
import { checkFlags, prepareCheck } from '../shared/run/prepare-check.ts'
import { runCheck } from '../shared/run/run-check.ts'
import { readTarget, withTarget } from '../shared/target.ts'
import type { Terminal } from '../shared/terminal.ts'

type Given = commands.OptionsOf<typeof commands.certify>

/** In real time nothing is left out: the longest rules wait for a week. */
const realBudgetMs = 8 * 86_400_000

/** Judges a target three times, strictly, and writes a certificate if it conforms. Returns the exit code. */
export async function certify(given: Given, terminal: Terminal): Promise<number> {
  const options = withTarget(given, terminal)
  const { target: file = '', profile, out } = options
  const target = await readTarget(file, terminal)
  const scope = scopeOf(target, profile)
  // Before the folder is created, so that a wrong key, or a target file without enough, leaves none.
  const signer = signerOf(options, terminal)
  refuseUnclaimed(target, scope)
  const dir = emptyFolder(terminal.cwd, out)
  const first = options.seed ?? randomInt(2 ** 31)
  for (const [at, folder] of runFolders.entries()) {
    terminal.err(`${folder} of ${runFolders.length}, seed ${first + at}`)
    const flags = flagsOf(options, scope, at === 0)
    const budget = options.budget ?? (target.clock === 'real' ? realBudgetMs : undefined)
    const run = checkFlags({ ...flags, budget, target: file, seed: first + at, out: join(out, folder) })
    let line = ''
    let isConformant = false
    const exit = await runCheck({
      ...(await prepareCheck(run, terminal, target)),
      onResults({ verdict }) {
        line = verdict.line
        isConformant = verdict.word === 'conformant'
      },
    })
    if (exit === exitCodes.conformant && isConformant) continue
    terminal.err(
      `plumbline: no certificate: ${folder} is ${line.replace(/\.$/, '') || 'without a verdict'}; its files stay in ${join(out, folder)}`,
    )
    return exit === exitCodes.conformant ? exitCodes['not conformant'] : exit
  }
  return write(dir, out, signer, terminal)
}

/** Throws UsageError for a folder that holds anything: every file in it would be certified. */
function emptyFolder(cwd: string, out: string): string {
  const dir = writableFolder(cwd, '--out', out)
  if (readdirSync(dir).length === 0) return dir
  throw new UsageError(
    `--out ${out} holds files, such as those of a run that made no certificate; choose a new or empty folder`,
  )
}

/** The flags of check for one run. */
function flagsOf({ quiet, maxCost, ...options }: Given, scope: Scope, isFirst: boolean) {
  const { iOwnThis, maxRequests, maxSeconds, windowScale } = options
  const isLoaded = isFirst && scope.byLoad.length > 0
  return {
    strict: true,
    quiet,
    ...(maxCost !== undefined && { maxCost }),
    profile: [...scope.always, ...(isLoaded ? scope.byLoad : [])].join(','),
    ...(isLoaded && { load: true as const, iOwnThis, maxRequests, maxSeconds, windowScale }),
  }
}

/** Judges the records again, writes what follows from them, and signs it. */
async function write(dir: string, out: string, signer: Signer | null, { out: print, err }: Terminal): Promise<number> {
  const { runs, faults } = await judgedRuns(dir)
  const [fault] = faults
  if (fault !== undefined) throw new BrokenError(`no certificate: ${fault}; please report it`)
  const [refusal] = faultsOf(runs)
  if (refusal !== undefined) {
    err(`plumbline: no certificate: ${refusal}; the files of the runs stay in ${out}`)
    return exitCodes.incomplete
  }
  for (const [name, text] of derivedFiles(runs, signer !== null)) writeFileSync(join(dir, name), text)
  const statement = Buffer.from(jsonText(statementOf(runs, subjectsOf(dir), signer?.keyId ?? null)))
  writeFileSync(join(dir, statementFile), statement)
  if (signer === null) {
    print(`unsigned certificate: ${out}; --key FILE signs one`)
    return exitCodes.conformant
  }
  const sig = signer.sign(preAuthEncoding(statementType, statement))
  writeFileSync(join(dir, envelopeFile), envelopeText(statement, { keyid: signer.keyId, sig }))
  print(`certificate: ${out}, signed by ${signer.keyId}`)
  return exitCodes.conformant
}

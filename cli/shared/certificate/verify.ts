import { type KeyObject, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { jsonText } from '../../../harness/common/escape.ts'
import { jsonIn } from '../../../harness/exchange/exchange.ts'
import type { EvidenceEvent } from '../../../harness/record/events.ts'
import { readEvidence } from '../../../harness/record/read.ts'
import { keptWord } from '../../../results/kept.ts'
import { version } from '../package-paths.ts'
import { digestsOf } from '../records/digests.ts'
import { judgeAgain } from '../records/judge-again.ts'
import { isFile } from '../records/output-folders.ts'
import { reportsOf } from '../records/report.ts'
import { schemaCheck } from '../records/schema.ts'
import {
  type CertifiedRun,
  derivedFiles,
  faultsOf,
  runFolders,
  type Statement,
  statementOf,
  suiteDigestsOf,
} from './contents.ts'
import { preAuthEncoding, signatureIn, statementType } from './dsse.ts'
import { envelopeFile, foreignEntries, type Subject, statementFile, subjectsOf } from './files.ts'
import { keyIdOf } from './keys.ts'
import { inspectRecord } from './record.ts'

/** The outcome of a verification: the certificate holds if there is no fault and nothing was left unchecked. */
export interface Verified {
  /** Null if the folder has no statement that can be read. */
  readonly statement: Statement | null
  /** Each begins with the file that it is about, and names a rule if there is one. */
  readonly faults: readonly string[]
  readonly unchecked: readonly string[]
  readonly signature: 'valid' | 'not valid' | 'not checked' | 'missing'
}

type Checked = Pick<Verified, 'faults' | 'unchecked'>

/**
 * Checks a certificate without its target: signature, digests, then every verdict again from the record, and all that the
 * certificate says against them. `key` null: the signature is not checked. Never throws: a fault of the folder is one of the
 * certificate.
 */
export async function verifyCertificate(dir: string, key: KeyObject | null, keyName = '--key FILE'): Promise<Verified> {
  try {
    return await checkCertificate(dir, key, keyName)
  } catch (error) {
    return unreadable([`${statementFile} cannot be checked: ${messageOf(error, dir)}`])
  }
}

async function checkCertificate(dir: string, key: KeyObject | null, keyName: string): Promise<Verified> {
  // Before anything is read: a link or a pipe could give other bytes to the next reader.
  const found = subjectsOf(dir)
  const foreign = foreignEntries(dir, found)
  if (foreign.length > 0) return unreadable(foreign.map((name) => `${name} is not a file of the certificate`))
  const statement = readStatement(dir)
  if (typeof statement === 'string') return unreadable([`${statementFile} ${statement}`])
  const { signature, ...signed } = checkSignature(dir, statement, key, keyName)
  const faults = [...signed.faults, ...changedFiles(found, statement)]
  // Changed files are judged no further.
  if (faults.length > 0) return { statement, signature, faults, unchecked: signed.unchecked }
  const other = await otherVersion(dir, statement)
  const derived = other ?? { faults: await differences(dir, statement), unchecked: [] }
  return { statement, signature, faults: derived.faults, unchecked: [...signed.unchecked, ...derived.unchecked] }
}

function unreadable(faults: readonly string[]): Verified {
  return { statement: null, faults, unchecked: [], signature: 'not checked' }
}

interface JudgedRuns {
  readonly runs: readonly CertifiedRun[]
  /** Paths of all files that the runs account for. */
  readonly files: ReadonlySet<string>
  readonly faults: readonly string[]
}

/** Judges the runs of a certificate again, and lists the differences between the results and the files in their folders. */
export async function judgedRuns(dir: string): Promise<JudgedRuns> {
  const runs: CertifiedRun[] = []
  const files = new Set<string>()
  const faults: string[] = []
  for (const folder of runFolders) {
    try {
      const { run, results, judged, differences } = await judgeAgain(join(dir, folder))
      const certified = { folder, run, results, judged }
      // A target that cannot be written as a file is a fault of this record.
      derivedFiles([certified], true)
      runs.push(certified)
      const inspected = await inspectRecord(join(dir, folder))
      faults.push(...inspected.contradictions.map((text) => `${folder}/evidence.ndjson: ${text}`))
      const derived = reportsOf(results)
      for (const name of [...inspected.files, ...derived.map(([name]) => name)]) files.add(`${folder}/${name}`)
      const reports = differentFiles(dir, derived, folder)
      // The difference in a verdict says more than the one in the bytes of its report.
      faults.push(...(differences.length > 0 ? differences.map((text) => `${folder}/${text}`) : reports))
    } catch (error) {
      faults.push(`${folder}/evidence.ndjson cannot be judged again: ${messageOf(error, dir)}`)
    }
  }
  return { runs, files, faults }
}

/** The message of an error, without the path of the certificate. */
function messageOf(error: unknown, dir: string): string {
  return (error instanceof Error ? error.message : String(error)).replaceAll(join(dir, '/'), '')
}

/** The statement of a folder, or the reason why it cannot be read. */
function readStatement(dir: string): Statement | string {
  const file = join(dir, statementFile)
  if (!isFile(file)) return 'is missing'
  const value = jsonIn(readFileSync(file, 'utf8'))
  if (value === undefined) return 'is not JSON'
  const fault = schemaCheck('certificate')(value)
  return fault === null ? (value as Statement) : `is not a statement of a certificate that this version knows: ${fault}`
}

function checkSignature(
  dir: string,
  { predicate: { keyId } }: Statement,
  key: KeyObject | null,
  keyName: string,
): Omit<Verified, 'statement'> {
  const fault = (text: string) => ({ signature: 'not valid', faults: [text], unchecked: [] }) as const
  const unchecked = (signature: Verified['signature'], text: string) => ({ signature, faults: [], unchecked: [text] })
  const file = join(dir, envelopeFile)
  if (keyId === null) {
    if (isFile(file))
      return fault(`${envelopeFile} is not expected: ${statementFile} says that the certificate is unsigned`)
    if (key !== null) return fault(`${envelopeFile} is missing: the certificate is unsigned, so no key can be checked`)
    return unchecked('missing', 'the certificate is unsigned: anybody can have made it')
  }
  if (!isFile(file)) return fault(`${envelopeFile} is missing, but ${statementFile} says that ${keyId} signed it`)
  const statement = readFileSync(join(dir, statementFile))
  const signature = signatureIn(readFileSync(file, 'utf8'), statement)
  if (typeof signature === 'string') return fault(`${envelopeFile} ${signature}`)
  const { keyid, sig } = signature
  if (keyid !== keyId) return fault(`${envelopeFile} names another key than ${statementFile}`)
  if (key === null) return unchecked('not checked', `the signature was not checked: no key given; add ${keyName}`)
  const given = keyIdOf(key)
  if (given !== keyid) return fault(`${envelopeFile} is signed by another key, ${keyid}; the given one is ${given}`)
  if (verify(null, preAuthEncoding(statementType, statement), key, sig))
    return { signature: 'valid', faults: [], unchecked: [] }
  return fault(`${envelopeFile} has a signature that the given key did not make`)
}

function changedFiles(found: readonly Subject[], { subject }: Statement): string[] {
  const byName = (subjects: readonly Subject[]) => new Map(subjects.map(({ name, digest }) => [name, digest.sha256]))
  const [listed, there] = [byName(subject), byName(found)]
  const names = [...new Set([...listed.keys(), ...there.keys()])].sort()
  return names.flatMap((name) => {
    const [was, is] = [listed.get(name), there.get(name)]
    if (was === is) return []
    if (is === undefined) return [`${name} is missing`]
    return [
      was === undefined ? `${name} does not belong to the certificate` : `${name} was changed: it has another digest`,
    ]
  })
}

/** The outcome for a certificate that only another version can judge again; null if this one can. */
async function otherVersion(dir: string, { predicate: { plumbline, digests } }: Statement): Promise<Checked | null> {
  const isSame = isDeepStrictEqual(suiteDigestsOf({ digests: digestsOf(null) }), digests)
  if (isSame && plumbline === version()) return null
  const faults: string[] = []
  for (const folder of runFolders) {
    const run = await firstEvent(join(dir, folder))
    const isOwn = run?.type === 'run' && run.plumbline === plumbline && isDeepStrictEqual(suiteDigestsOf(run), digests)
    if (!isOwn) faults.push(`${folder}/evidence.ndjson is of another version than ${statementFile} says`)
  }
  const made = plumbline === version() ? `another state of plumbline ${version()}` : `plumbline ${keptWord(plumbline)}`
  const unchecked = `the verdicts were not derived again: the certificate was made by ${made}; verify it with that (this is ${version()})`
  return { faults, unchecked: [unchecked] }
}

/** The first event of a record; null if it cannot be read. */
async function firstEvent(dir: string): Promise<EvidenceEvent | null> {
  try {
    for await (const event of readEvidence(dir)) return event
  } catch {}
  return null
}

/** The differences between a certificate and what follows from its records. */
async function differences(dir: string, statement: Statement): Promise<readonly string[]> {
  const { runs, files: known, faults } = await judgedRuns(dir)
  if (faults.length > 0) return faults
  const refusals = faultsOf(runs)
  if (refusals.length > 0) return refusals
  const { subject, predicate } = statement
  const derived = statementOf(runs, subject, predicate.keyId)
  const isAsDerived = hasText(join(dir, statementFile), jsonText(derived))
  const paths = differingPaths(statement, derived)
  const files = derivedFiles(runs, predicate.keyId !== null)
  const surplus = subject.filter(({ name }) => !files.has(name) && !known.has(name))
  return [
    ...surplus.map(({ name }) => `${name} does not belong to a certificate`),
    ...differentFiles(dir, files),
    ...paths.map((path) => `${statementFile} says something else about ${path} than the runs`),
    ...(isAsDerived || paths.length > 0 ? [] : [`${statementFile} differs in bytes from what certify writes`]),
  ]
}

/** Files, by name and derived text, that are missing or have other bytes. */
function differentFiles(dir: string, derived: Iterable<readonly [name: string, text: string]>, folder = ''): string[] {
  return [...derived].flatMap(([name, text]) => {
    if (hasText(join(dir, folder, name), text)) return []
    return [`${join(folder, name)} differs from what the runs give`]
  })
}

function hasText(file: string, text: string): boolean {
  return isFile(file) && readFileSync(file).equals(Buffer.from(text))
}

/** Paths of the values in which two statements differ, such as `predicate.runs.0.seed`. */
function differingPaths(one: unknown, other: unknown, path: readonly string[] = []): string[] {
  if (Object.is(one, other)) return []
  const [a, b] = [Object(one), Object(other)]
  if (a !== one || b !== other) return [path.join('.')]
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].flatMap((key) =>
    differingPaths(a[key], b[key], [...path, key]),
  )
}

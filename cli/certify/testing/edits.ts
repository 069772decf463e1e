import assert from 'node:assert/strict'
import { createPublicKey, type KeyObject } from 'node:crypto'
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { jsonText } from '../../../harness/common/escape.ts'
import { derivedFiles, runFolders, statementOf } from '../../shared/certificate/contents.ts'
import { envelopeFile, statementFile } from '../../shared/certificate/files.ts'
import { keyIdOf } from '../../shared/certificate/keys.ts'
import { judgedRuns } from '../../shared/certificate/verify.ts'
import { reportsOf } from '../../shared/records/report.ts'
import type { Certificates } from './certificate.ts'
import { restate, statementIn } from './statement.ts'

/** An edit of the copy: what was done, and the file that verify has to name. A changed statement is not the signed one. */
type Edit = (random: () => number, names: readonly string[]) => { readonly what: string; readonly file: string }

export type Edits = ReturnType<typeof createEdits>

/** Edits of the copy of a certificate. */
export function createEdits({ copy, publicKey, signed, stranger }: Certificates) {
  const all: readonly Edit[] = [
    ...[changeByte, changeByte, changeByte],
    (random) => ({ what: 'an exchange removed', file: changeExchanges(random, 'removed') }),
    (random) => ({ what: 'two exchanges swapped', file: changeExchanges(random, 'swapped') }),
    (random) => ({ what: 'an exchange repeated', file: changeExchanges(random, 'repeated') }),
    (random) => signedAgain('a verdict changed, its digest recomputed', () => changeVerdict(anyRun(random)), undefined),
    (random) =>
      signedAgain('a verdict changed, signed with another key', () => changeVerdict(anyRun(random)), stranger),
    () => signedAgain('another key', () => {}, stranger),
    () => signedAgain('another key under the name of the first', () => {}, stranger, keyIdOf(publicKey)),
    (random, names) => {
      const file = pick(random, names)
      rmSync(join(copy, file))
      return { what: `${file} removed`, file }
    },
    (random, names) => {
      const file = pick(random, names)
      renameSync(join(copy, file), join(copy, `${file}.old`))
      return { what: `${file} renamed`, file }
    },
    () => {
      addFile('run-1/bodies/999999.bin')
      return { what: 'a file added', file: 'run-1/bodies/999999.bin' }
    },
  ]

  return { all, copyOf, link, addFile, changeRecords, deriveAgain, changeVerdict, changeExchanges, change }

  function copyOf(certificate: string): void {
    rmSync(copy, { recursive: true, force: true })
    cpSync(certificate, copy, { recursive: true })
  }

  function link(name: string): void {
    rmSync(join(copy, name))
    symlinkSync(join(signed, name), join(copy, name))
  }

  function addFile(name: string): void {
    mkdirSync(dirname(join(copy, name)), { recursive: true })
    writeFileSync(join(copy, name), '')
  }

  function changeRecords(pattern: RegExp, replacement: string): void {
    for (const folder of runFolders) replaceIn(join(copy, folder, 'evidence.ndjson'), pattern, replacement)
  }

  /** Writes all files of the copy that follow from its records, as a forger would, and signs them with the key of the stranger. */
  async function deriveAgain(): Promise<void> {
    const { runs } = await judgedRuns(copy)
    for (const { folder, results } of runs)
      for (const [name, text] of reportsOf(results)) writeFileSync(join(copy, folder, name), text)
    for (const [name, text] of derivedFiles(runs, true)) writeFileSync(join(copy, name), text)
    const keyId = keyIdOf(createPublicKey(stranger as never))
    writeFileSync(join(copy, statementFile), jsonText(statementOf(runs, [], keyId)))
    restate(copy, stranger)
  }

  function changeVerdict(run: string): void {
    replaceIn(join(copy, run, 'results.json'), /("verdict": )"passed"/, '$1"failed"')
  }

  /** Changes the lines of a drawn exchange of a drawn run. Returns the record. */
  function changeExchanges(random: () => number, how: 'removed' | 'swapped' | 'repeated'): string {
    const file = `${anyRun(random)}/evidence.ndjson`
    const lines = readFileSync(join(copy, file), 'utf8').split('\n')
    const places = [...lines.entries()].flatMap(([at, line]) => (line.startsWith('{"type":"exchange"') ? at : []))
    const [at, other] = [pick(random, places), pick(random, places)]
    const line = lines[at] ?? ''
    if (how === 'swapped') {
      const second = other === at ? (places.find((place) => place !== at) ?? at) : other
      lines[at] = lines[second] ?? ''
      lines[second] = line
    } else lines.splice(at, how === 'removed' ? 1 : 0, ...(how === 'removed' ? [] : [line]))
    writeFileSync(join(copy, file), lines.join('\n'))
    return file
  }

  /** Changes what the statement of the copy claims. */
  function change(edit: (predicate: { profiles: string[]; runs: object[] } & object) => void): void {
    const statement = statementIn(copy)
    edit(statement.predicate as never)
    writeFileSync(join(copy, statementFile), jsonText(statement))
  }

  function signedAgain(what: string, edit: () => void, key: KeyObject | undefined, name?: string) {
    edit()
    restate(copy, key, name)
    return { what, file: envelopeFile }
  }

  function changeByte(random: () => number, names: readonly string[]) {
    const file = pick(random, names)
    const bytes = readFileSync(join(copy, file))
    const at = Math.floor(random() * bytes.length)
    bytes[at] = ((bytes[at] ?? 0) + 1 + Math.floor(random() * 255)) % 256
    writeFileSync(join(copy, file), bytes)
    return { what: `byte ${at} of ${file}`, file }
  }
}

function anyRun(random: () => number): string {
  return `run-${1 + Math.floor(random() * 3)}`
}

export function pick<Item>(random: () => number, items: readonly Item[]): Item {
  return items[Math.floor(random() * items.length)] as Item
}

export function replaceIn(file: string, pattern: RegExp, replacement: string): void {
  const text = readFileSync(file, 'utf8')
  assert.match(text, pattern)
  writeFileSync(file, text.replace(pattern, replacement))
}

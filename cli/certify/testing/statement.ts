import { createPublicKey, type KeyObject, sign } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { jsonText } from '../../../harness/common/escape.ts'
import type { Statement } from '../../shared/certificate/contents.ts'
import { envelopeText, preAuthEncoding, statementType } from '../../shared/certificate/dsse.ts'
import { envelopeFile, statementFile, subjectsOf } from '../../shared/certificate/files.ts'
import { keyIdOf } from '../../shared/certificate/keys.ts'

export function statementIn(dir: string): Statement {
  return JSON.parse(readFileSync(join(dir, statementFile), 'utf8'))
}

/**
 * States the files of a folder as they are now, as a forger would, and signs that with a key; `null`: unsigned,
 * `undefined`: the earlier envelope stays.
 */
export function restate(dir: string, key: KeyObject | null | undefined, name?: string): void {
  const { predicate, ...rest } = statementIn(dir)
  const keyId =
    key === undefined ? predicate.keyId : key === null ? null : (name ?? keyIdOf(createPublicKey(key as never)))
  const text = jsonText({ ...rest, subject: subjectsOf(dir), predicate: { ...predicate, keyId } })
  const { _type, subject, predicateType, predicate: stated } = JSON.parse(text) as Statement
  const statement = Buffer.from(jsonText({ _type, subject, predicateType, predicate: stated }))
  writeFileSync(join(dir, statementFile), statement)
  if (key === null || key === undefined) return
  const sig = sign(null, preAuthEncoding(statementType, statement), key)
  writeFileSync(join(dir, envelopeFile), envelopeText(statement, { keyid: keyId ?? '', sig }))
}

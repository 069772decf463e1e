import { createPublicKey } from 'node:crypto'
import { appendFileSync, cpSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { randomFrom } from '../../harness/common/random.ts'
import { envelopeFile, statementFile, subjectsOf } from '../shared/certificate/files.ts'
import { verifyCertificate } from '../shared/certificate/verify.ts'
import { type Certificates, makeCertificates } from './testing/certificate.ts'
import { createEdits, type Edits, pick, replaceIn } from './testing/edits.ts'
import { restate } from './testing/statement.ts'

let made: Certificates
let edits: Edits

beforeAll(async () => {
  made = await makeCertificates()
  edits = createEdits(made)
}, 300_000)
afterAll(() => made.commands.close())

describe('an edit is detected and named', () => {
  test('a hundred random ones of a signed certificate', async () => {
    const random = randomFrom(1, 'edits')
    const missed: string[] = []
    const names = [...subjectsOf(made.signed).map(({ name }) => name), statementFile, envelopeFile]
    for (let count = 0; count < 100; count++) {
      edits.copyOf(made.signed)
      const edit = pick(random, edits.all)
      const { what, file } = edit(random, names)
      const named = file === statementFile ? [statementFile, envelopeFile] : [file]
      const { faults } = await verifyCertificate(made.copy, made.publicKey)
      if (!named.some((name) => faults.some((fault) => fault.startsWith(`${name} `))))
        missed.push(`${what}: ${faults.join('; ')}`)
    }
    expect(missed).toEqual([])
  }, 120_000)

  const replaced = (file: string, pattern: RegExp, text: string) => () =>
    replaceIn(join(made.copy, file), pattern, text)
  const longer = (file: string, text: string) => () => appendFileSync(join(made.copy, file), text)
  const claimed = (edit: Parameters<Edits['change']>[0]) => () => edits.change(edit)

  test.each<[what: string, edit: () => void, fault: RegExp]>([
    [
      'a verdict',
      () => edits.changeVerdict('run-2'),
      /^run-2\/results\.json: pods\S+ was kept as failed, and the record gives /,
    ],
    [
      'a verdict in the record',
      replaced('run-3/evidence.ndjson', /("verdict":)"passed"/, '$1"observed"'),
      /^run-3\/evidence\.ndjson: the verdict of pods\S+ is observed, but its exchanges give passed/,
    ],
    ['an exchange that is gone', () => edits.changeExchanges(() => 0.5, 'removed'), /^run-2\//],
    ['an exchange that is there twice', () => edits.changeExchanges(() => 0.5, 'repeated'), /^run-2\//],
    ['a status', replaced('run-1/evidence.ndjson', /"status":201/, '"status":500'), /^run-1\//],
    ['a damaged line', longer('run-1/evidence.ndjson', '{"type":"x"}\n'), /^run-1\/evidence/],
    [
      'a missing record',
      () => rmSync(join(made.copy, 'run-2/evidence.ndjson')),
      /^run-2\/evidence\.ndjson cannot be judged/,
    ],
    [
      'a run twice',
      () => cpSync(join(made.copy, 'run-1'), join(made.copy, 'run-2'), { recursive: true }),
      /three different/,
    ],
    ['a report', longer('run-1/report.html', ' '), /^run-1\/report\.html differs from what/],
    ['a reading', replaced('behaviour.json', /"kept"/, '"wiped"'), /^behaviour\.json differs from/],
    ['the badge', replaced('badge.svg', /inside/, 'core'), /^badge\.svg differs from what the runs/],
    ['the target', longer('target.yaml', '\n'), /^target\.yaml differs from what the runs/],
    ['a file more', longer('statement.txt', ''), /^statement\.txt does not belong to a certificate/],
    ['the profiles', claimed(({ profiles }) => profiles.push('core')), /about predicate\.profiles\.1 than the runs/],
    ['a seed', claimed(({ runs }) => Object.assign(runs[0] ?? {}, { seed: 3 })), /about predicate\.runs\.0\.seed/],
    ['a verdict claimed', claimed((it) => Object.assign(it, { verdict: 'perfect' })), /about predicate\.verdict than/],
    [
      'a digest of the target, which nothing gives',
      claimed((it) => Object.assign(Object(it).digests, { target: 'sha256:0' })),
      /^statement\.json is not a statement .*must not have target$/,
    ],
    [
      'a receiver without an address',
      () => edits.changeRecords(/"receiver":\{[^}]*\}/, '"receiver":{}'),
      /^run-1\/evidence\.ndjson cannot be judged again: /,
    ],
    ['a claim more', claimed((it) => Object.assign(it, { more: 1 })), /about predicate\.more than the runs/],
    ['a run that was not strict', replaced('run-1/evidence.ndjson', /"strict":true/, '"strict":false'), /^run-1/],
  ])('%s, all digests recomputed and nothing signed', async (_, edit, fault) => {
    edits.copyOf(made.unsigned)
    edit()
    restate(made.copy, null)
    const { faults } = await verifyCertificate(made.copy, null)
    expect(faults.join('\n')).toMatch(fault)
  })
})

describe('a forged certificate, all files derived again and signed with an own key', () => {
  const relabel = () => {
    edits.changeRecords(/"clock":"remote"/, '"clock":"real"')
    edits.changeRecords(/"clock":\{"url":"[^"]*"\}/, '"clock":"real"')
  }
  test.each<[what: string, edit: () => void, fault: RegExp]>([
    [
      'a controlled clock called real',
      relabel,
      /^run-1\/evidence\.ndjson: its clock is real, but exchange \d+ has two different times/,
    ],
    [
      'a controlled clock called real, with equal times',
      () => {
        relabel()
        edits.changeRecords(/"target":\d+,"harness":\d+/g, '"target":1,"harness":1')
      },
      /^run-1\/evidence\.ndjson: its clock is real, but \d+ ms passed in \d+ ms/m,
    ],
    [
      'a record called real alone',
      () => edits.changeRecords(/"clock":"remote"/, '"clock":"real"'),
      /: its clock is real, but its target names another one/,
    ],
    [
      'the embedded reference under another name',
      () => edits.changeRecords(/http:\/\/127\.0\.0\.1:\d+/g, 'https://reference.test'),
      /: exchange \d+ was sent to the embedded reference/,
    ],
    ['nothing', () => {}, /^$/],
    ...['run-2/load/00-x/evil.html', 'run-1/bodies/999.bin', 'run-1/other/empty/file'].map(
      (name): [string, () => void, RegExp] => [
        `${name} more`,
        () => edits.addFile(name),
        new RegExp(`^${name} does not belong to a certificate$`, 'm'),
      ],
    ),
  ])('%s', async (_, edit, fault) => {
    edits.copyOf(made.signed)
    edit()
    await edits.deriveAgain()
    const { faults } = await verifyCertificate(made.copy, createPublicKey(made.stranger as never))
    expect(faults.join('\n')).toMatch(fault)
  })
})

test.each<[what: string, edit: () => void, fault: string]>([
  ['the statement is a link', () => edits.link(statementFile), 'statement.json is not a file of the certificate'],
  ['the envelope is a link', () => edits.link(envelopeFile), 'certificate.dsse.json is not a file of the certificate'],
  ['a report is a link', () => edits.link('run-1/report.html'), 'run-1/report.html was changed: it has another digest'],
  ['an empty folder', () => mkdirSync(join(made.copy, 'run-1/load')), 'run-1/load is not a file of the certificate'],
])('%s, and nothing is signed again', async (_, edit, fault) => {
  edits.copyOf(made.signed)
  edit()
  expect((await verifyCertificate(made.copy, made.publicKey)).faults).toEqual([fault])
})

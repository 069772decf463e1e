import { spawnSync } from 'node:child_process'
import { createPublicKey } from 'node:crypto'
import { appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { randomFrom } from '../../harness/common/random.ts'
import { type CertifiedRun, faultsOf } from '../shared/certificate/contents.ts'
import { envelopeFile, statementFile, subjectsOf } from '../shared/certificate/files.ts'
import { judgedRuns, verifyCertificate } from '../shared/certificate/verify.ts'
import { createCommands, textOf } from '../shared/testing/commands.ts'
import { type Certificates, certify, makeCertificates } from './testing/certificate.ts'
import { createEdits, type Edits, pick, replaceIn } from './testing/edits.ts'
import { restate, statementIn } from './testing/statement.ts'

let made: Certificates
let edits: Edits

beforeAll(async () => {
  made = await makeCertificates()
  edits = createEdits(made)
}, 300_000)
afterAll(() => made.commands.close())

describe('a certificate', () => {
  test('holds three runs, the target without secrets, the readings, a badge, a statement and its signature', () => {
    expect(made.output).toMatchObject({
      code: 0,
      said: expect.stringContaining('certificate: acme, signed by sha256:'),
    })
    expect(readdirSync(made.signed).sort()).toEqual([
      ...['badge.svg', 'behaviour.json', 'certificate.dsse.json', 'run-1', 'run-2', 'run-3', 'statement.json'],
      'target.yaml',
    ])
    const { predicate } = statementIn(made.signed)
    expect(predicate).toMatchObject({ verdict: 'conformant', clock: 'controlled', profiles: ['inside'], load: null })
    expect(predicate.runs.map(({ seed }) => seed)).toEqual([7, 8, 9])
    expect(predicate.notJudged).toContainEqual({ profile: 'core', reason: 'left out by --profile' })
    const target = readFileSync(join(made.signed, 'target.yaml'), 'utf8')
    expect(target).toContain('full: «key.full»')
    expect(target).not.toContain('plumbline-example-')
    const { readings } = JSON.parse(readFileSync(join(made.signed, 'behaviour.json'), 'utf8'))
    expect(readings['pods.action.stop-keeps-disk']).toEqual({ disk: ['kept'] })
    expect(readFileSync(join(made.signed, 'badge.svg'), 'utf8')).toContain('>conformant: inside (controlled clock)<')
  })

  test('is verified in another folder, without its target, by a process', async () => {
    const { cwd: elsewhere, run } = createCommands('elsewhere')
    cpSync(made.signed, join(elsewhere, 'it'), { recursive: true })
    writeFileSync(join(elsewhere, 'own.pem'), made.ownPem)
    const verify = (...args: string[]) => run(['verify', 'it', ...args])
    const main = join(import.meta.dirname, '..', 'main.ts')
    const words = [main, 'verify', 'it', '--key', 'own.pem']
    const whole = spawnSync(process.execPath, words, { cwd: elsewhere, encoding: 'utf8' })
    expect(whole).toMatchObject({ status: 0, stderr: '', stdout: expect.stringMatching(/\nvalid\n$/) })
    const unchecked = 'the signature was not checked: no key given; add --key FILE'
    expect(await verify()).toMatchObject({ code: 3, said: expect.stringContaining(unchecked) })
    writeFileSync(join(elsewhere, 'it', 'badge.svg'), '')
    expect(await verify('--key', 'own.pem')).toMatchObject({
      code: 1,
      said: expect.stringContaining('badge.svg was changed'),
    })
    expect(await verify('--key', 'it/badge.svg')).toMatchObject({ code: 2 })
  })

  test('without a signature says so, and a key that must have signed it refuses it', async () => {
    const said = 'the certificate is unsigned: anybody can have made it'
    expect(await verifyCertificate(made.unsigned, null)).toMatchObject({ faults: [], unchecked: [said] })
    expect((await verifyCertificate(made.unsigned, made.publicKey)).faults).toEqual([
      'certificate.dsse.json is missing: the certificate is unsigned, so no key can be checked',
    ])
  })

  test('of another version is named as such', async () => {
    edits.copyOf(made.unsigned)
    for (const run of ['run-1', 'run-2', 'run-3']) {
      replaceIn(join(made.copy, run, 'evidence.ndjson'), /"plumbline":"[^"]*"/, '"plumbline":"0.0.9"')
    }
    replaceIn(join(made.copy, statementFile), /"plumbline": "[^"]*"/, '"plumbline": "0.0.9"')
    restate(made.copy, null)
    const { faults, unchecked } = await verifyCertificate(made.copy, null)
    expect(faults).toEqual([])
    expect(unchecked[1]).toContain('the certificate was made by plumbline 0.0.9; verify it with that')
    replaceIn(join(made.copy, statementFile), /"plumbline": "[^"]*"/, '"plumbline": "0.0.8"')
    expect((await verifyCertificate(made.copy, null)).faults[0]).toBe(
      'run-1/evidence.ndjson is of another version than statement.json says',
    )
  })

  test('is not written for a target that does not conform, whose runs stay', async () => {
    const flags = ['--port', '0', '--clock', 'control', '--defect', 'restart-keeps-disk']
    made.commands.start(['serve', ...flags, '--print-target', 'broken.yaml'])
    await textOf(join(made.cwd, 'broken.yaml'), 'clock:')
    const args = [...certify.toSpliced(2, 1, 'broken.yaml'), '--out', 'broken']
    const { code, said } = await made.commands.run(args)
    expect(said).toContain('plumbline: no certificate: run-1 is not conformant')
    expect(code).toBe(1)
    expect(readdirSync(join(made.cwd, 'broken'))).toEqual(['run-1'])
    expect(await made.commands.run(args)).toEqual({
      code: 2,
      said: 'plumbline: --out broken holds files, such as those of a run that made no certificate; choose a new or empty folder\n',
    })
    const known = 'known: [{rule: pods.action.restart-wipes-disk, reason: a test, expires: 2099-12-31}]\n'
    appendFileSync(join(made.cwd, 'broken.yaml'), known)
    expect(await made.commands.run([...args.slice(0, -1), 'accepted'])).toMatchObject({
      code: 1,
      said: expect.stringContaining('plumbline: no certificate: run-1 is conformant with known failures'),
    })
  }, 120_000)
})

describe('runs make no certificate', () => {
  let runs: readonly CertifiedRun[] = []
  beforeAll(async () => {
    ;({ runs } = await judgedRuns(made.signed))
  })

  test.each<[what: string, changed: object, fault: string]>([
    ['that are not strict', { strict: false }, 'run-2: it is not strict'],
    ['of rules of a vendor', { rulesFolder: 'rules' }, 'run-2: it judges rules of a vendor'],
    ['of the embedded reference', { clock: 'virtual' }, 'run-2: it judges the embedded reference'],
    ['with a load', { load: { rules: [], isSmoke: true } }, 'run-2: it drives a load, which only the first run does'],
    ['of a part of a profile', { rules: [] }, 'run-2: 7 rules of its profiles were not selected'],
    ['of another profile', { profiles: ['long'] }, 'run-2: no must rule of profile long was verified'],
    ['of fewer profiles', { profiles: [] }, 'run-2: target, clock, version or profiles are not those of run-1'],
    ['of another version', { plumbline: '9' }, 'run-2: target, clock, version or profiles are not those of run-1'],
    ['of one seed', { seed: 7 }, 'the runs do not have three different seeds'],
  ])('%s', (_, changed, fault) => {
    const other = runs.map((one) => (one.folder === 'run-2' ? { ...one, run: { ...one.run, ...changed } } : one))
    expect(faultsOf(runs)).toEqual([])
    expect(faultsOf(other as typeof runs)).toContain(fault)
  })
})

test('a certificate without its statement is not valid, and without its envelope too not a certificate', async () => {
  edits.copyOf(made.signed)
  rmSync(join(made.copy, statementFile))
  const said = 'statement.json is missing\nnot valid: 1 fault\n'
  expect(await made.commands.run(['verify', 'copy'])).toEqual({ code: 1, said })
  rmSync(join(made.copy, envelopeFile))
  expect(await made.commands.run(['verify', 'copy'])).toMatchObject({ code: 2 })
})

test('verify prints faults first, and claims only beside none', async () => {
  writeFileSync(
    join(made.cwd, 'stranger.pem'),
    createPublicKey(made.stranger as never).export({ type: 'spki', format: 'pem' }),
  )
  const verified = async (...args: string[]) => (await made.commands.run(['verify', ...args])).said
  expect(await verified('acme', '--key', 'stranger.pem')).toMatch(
    /^certificate\.dsse\.json is signed by another key, .*\nnot valid: 1 fault\n$/,
  )
  expect(await verified('acme')).toMatch(
    /^the signature was not checked.*\nclaims of a certificate whose signature by sha256:\w+ was not checked:\n {2}claims to be /,
  )
  expect(await verified('unsigned')).toMatch(
    /^the certificate is unsigned.*\nclaims of a certificate that nobody signed:\n {2}claims to be /,
  )
  edits.copyOf(made.signed)
  edits.change((it) => Object.assign(it, { target: 'Acme\nvalid' }))
  writeFileSync(join(made.copy, 'a\nvalid'), '')
  restate(made.copy, made.stranger)
  expect(await verified('copy', '--key', 'stranger.pem')).toMatch(
    /^a\\u\{a\}valid does not belong (?!.*claims ).*\nnot valid: \d faults\n$/s,
  )
})

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

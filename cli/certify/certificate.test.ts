import { spawnSync } from 'node:child_process'
import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { jsonText } from '../../harness/common/escape.ts'
import { randomFrom } from '../../harness/common/random.ts'
import {
  type CertifiedRun,
  derivedFiles,
  faultsOf,
  runFolders,
  type Statement,
  statementOf,
} from '../shared/certificate/contents.ts'
import { envelopeText, preAuthEncoding, statementType } from '../shared/certificate/dsse.ts'
import { envelopeFile, statementFile, subjectsOf } from '../shared/certificate/files.ts'
import { keyIdOf } from '../shared/certificate/keys.ts'
import { judgedRuns, verifyCertificate } from '../shared/certificate/verify.ts'
import { reportsOf } from '../shared/records/report.ts'
import { createCommands, textOf } from '../shared/testing/commands.ts'

// One small certificate of the served reference, on its controlled clock: every test looks at a copy of it.

const commands = createCommands('certificate')
const { cwd } = commands
const pem = { privateKeyEncoding: { type: 'pkcs8', format: 'pem' }, publicKeyEncoding: { type: 'spki', format: 'pem' } }
const own = generateKeyPairSync('ed25519', pem as never) as unknown as Record<'privateKey' | 'publicKey', string>
const publicKey = createPublicKey(own.publicKey)
const stranger = generateKeyPairSync('ed25519').privateKey
const [signed, copy, unsigned] = ['acme', 'copy', 'unsigned'].map((name) => join(cwd, name)) as [string, string, string]
const certify = ['certify', '--target', 'target.yaml', '--profile', 'inside', '--seed', '7', '--quiet']
let made = { code: null as number | null, said: '' }

beforeAll(async () => {
  writeFileSync(join(cwd, 'own.key'), own.privateKey)
  writeFileSync(join(cwd, 'own.pem'), own.publicKey)
  commands.start(['serve', '--port', '0', '--clock', 'control', '--print-target', 'target.yaml'])
  await textOf(join(cwd, 'target.yaml'), 'clock:')
  made = await commands.run([...certify, '--out', 'acme', '--key', 'own.key'])
  cpSync(signed, unsigned, { recursive: true })
  rmSync(join(unsigned, envelopeFile))
  const { runs } = await judgedRuns(unsigned)
  for (const [name, text] of derivedFiles(runs, false)) writeFileSync(join(unsigned, name), text)
  restate(unsigned, null)
}, 300_000)
afterAll(commands.close)

describe('a certificate', () => {
  test('holds three runs, the target without secrets, the readings, a badge, a statement and its signature', () => {
    expect(made).toMatchObject({ code: 0, said: expect.stringContaining('certificate: acme, signed by sha256:') })
    expect(readdirSync(signed).sort()).toEqual([
      ...['badge.svg', 'behaviour.json', 'certificate.dsse.json', 'run-1', 'run-2', 'run-3', 'statement.json'],
      'target.yaml',
    ])
    const { predicate } = statementIn(signed)
    expect(predicate).toMatchObject({ verdict: 'conformant', clock: 'controlled', profiles: ['inside'], load: null })
    expect(predicate.runs.map(({ seed }) => seed)).toEqual([7, 8, 9])
    expect(predicate.notJudged).toContainEqual({ profile: 'core', reason: 'left out by --profile' })
    const target = readFileSync(join(signed, 'target.yaml'), 'utf8')
    expect(target).toContain('full: «key.full»')
    expect(target).not.toContain('plumbline-example-')
    const { readings } = JSON.parse(readFileSync(join(signed, 'behaviour.json'), 'utf8'))
    expect(readings['pods.action.stop-keeps-disk']).toEqual({ disk: ['kept'] })
    expect(readFileSync(join(signed, 'badge.svg'), 'utf8')).toContain('>conformant: inside (controlled clock)<')
  })

  test('is verified in another folder, without its target, by a process', () => {
    const elsewhere = createCommands('elsewhere').cwd
    cpSync(signed, join(elsewhere, 'it'), { recursive: true })
    writeFileSync(join(elsewhere, 'own.pem'), own.publicKey)
    const main = join(import.meta.dirname, '..', 'main.ts')
    const run = (...args: string[]) =>
      spawnSync(process.execPath, [main, 'verify', 'it', ...args], { cwd: elsewhere, encoding: 'utf8' })
    const whole = run('--key', 'own.pem')
    expect(whole).toMatchObject({ status: 0, stderr: '', stdout: expect.stringMatching(/\nvalid\n$/) })
    const unchecked = 'the signature was not checked: no key given; add --key FILE'
    expect(run()).toMatchObject({ status: 3, stdout: expect.stringContaining(unchecked) })
    writeFileSync(join(elsewhere, 'it', 'badge.svg'), '')
    expect(run('--key', 'own.pem')).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('badge.svg was changed'),
    })
    expect(run('--key', 'it/badge.svg')).toMatchObject({ status: 2 })
  })

  test('without a signature says so, and a key that must have signed it refuses it', async () => {
    const said = 'the certificate is unsigned: anybody can have made it'
    expect(await verifyCertificate(unsigned, null)).toMatchObject({ faults: [], unchecked: [said] })
    expect((await verifyCertificate(unsigned, publicKey)).faults).toEqual([
      'certificate.dsse.json is missing: the certificate is unsigned, so no key can be checked',
    ])
  })

  test('of another version is named as such', async () => {
    copyOf(unsigned)
    for (const run of ['run-1', 'run-2', 'run-3']) {
      replaceIn(join(copy, run, 'evidence.ndjson'), /"plumbline":"[^"]*"/, '"plumbline":"0.0.9"')
    }
    replaceIn(join(copy, statementFile), /"plumbline": "[^"]*"/, '"plumbline": "0.0.9"')
    restate(copy, null)
    const { faults, unchecked } = await verifyCertificate(copy, null)
    expect(faults).toEqual([])
    expect(unchecked[1]).toContain('the certificate was made by plumbline 0.0.9; verify it with that')
    replaceIn(join(copy, statementFile), /"plumbline": "[^"]*"/, '"plumbline": "0.0.8"')
    expect((await verifyCertificate(copy, null)).faults[0]).toBe(
      'run-1/evidence.ndjson is of another version than statement.json says',
    )
  })

  test('is not written for a target that does not conform, whose runs stay', async () => {
    const flags = ['--port', '0', '--clock', 'control', '--defect', 'restart-keeps-disk']
    commands.start(['serve', ...flags, '--print-target', 'broken.yaml'])
    await textOf(join(cwd, 'broken.yaml'), 'clock:')
    const args = [...certify.toSpliced(2, 1, 'broken.yaml'), '--out', 'broken']
    const { code, said } = await commands.run(args)
    expect(said).toContain('plumbline: no certificate: run-1 is not conformant')
    expect(code).toBe(1)
    expect(readdirSync(join(cwd, 'broken'))).toEqual(['run-1'])
    expect(await commands.run(args)).toEqual({
      code: 2,
      said: 'plumbline: --out broken holds files, such as those of a run that made no certificate; choose a new or empty folder\n',
    })
    const known = 'known: [{rule: pods.action.restart-wipes-disk, reason: a test, expires: 2099-12-31}]\n'
    appendFileSync(join(cwd, 'broken.yaml'), known)
    expect(await commands.run([...args.slice(0, -1), 'accepted'])).toMatchObject({
      code: 1,
      said: expect.stringContaining('plumbline: no certificate: run-1 is conformant with known failures'),
    })
  }, 120_000)
})

describe('an edit is detected and named', () => {
  test('a hundred random ones of a signed certificate', async () => {
    const random = randomFrom(1, 'edits')
    const missed: string[] = []
    const names = [...subjectsOf(signed).map(({ name }) => name), statementFile, envelopeFile]
    for (let count = 0; count < 100; count++) {
      copyOf(signed)
      const edit = pick(random, edits)
      const { what, file } = edit(random, names)
      const named = file === statementFile ? [statementFile, envelopeFile] : [file]
      const { faults } = await verifyCertificate(copy, publicKey)
      if (!named.some((name) => faults.some((fault) => fault.startsWith(`${name} `))))
        missed.push(`${what}: ${faults.join('; ')}`)
    }
    expect(missed).toEqual([])
  }, 120_000)

  const replaced = (file: string, pattern: RegExp, text: string) => () => replaceIn(join(copy, file), pattern, text)
  const longer = (file: string, text: string) => () => appendFileSync(join(copy, file), text)
  const claimed = (edit: Parameters<typeof change>[0]) => () => change(edit)

  test.each<[what: string, edit: () => void, fault: RegExp]>([
    [
      'a verdict',
      () => changeVerdict('run-2'),
      /^run-2\/results\.json: pods\S+ was kept as failed, and the record gives /,
    ],
    [
      'a verdict in the record',
      replaced('run-3/evidence.ndjson', /("verdict":)"passed"/, '$1"observed"'),
      /^run-3\/evidence\.ndjson: the verdict of pods\S+ is observed, but its exchanges give passed/,
    ],
    ['an exchange that is gone', () => changeExchanges(() => 0.5, 'removed'), /^run-2\//],
    ['an exchange that is there twice', () => changeExchanges(() => 0.5, 'repeated'), /^run-2\//],
    ['a status', replaced('run-1/evidence.ndjson', /"status":201/, '"status":500'), /^run-1\//],
    ['a damaged line', longer('run-1/evidence.ndjson', '{"type":"x"}\n'), /^run-1\/evidence/],
    [
      'a missing record',
      () => rmSync(join(copy, 'run-2/evidence.ndjson')),
      /^run-2\/evidence\.ndjson cannot be judged/,
    ],
    ['a run twice', () => cpSync(join(copy, 'run-1'), join(copy, 'run-2'), { recursive: true }), /three different/],
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
      () => changeRecords(/"receiver":\{[^}]*\}/, '"receiver":{}'),
      /^run-1\/evidence\.ndjson cannot be judged again: /,
    ],
    ['a claim more', claimed((it) => Object.assign(it, { more: 1 })), /about predicate\.more than the runs/],
    ['a run that was not strict', replaced('run-1/evidence.ndjson', /"strict":true/, '"strict":false'), /^run-1/],
  ])('%s, all digests recomputed and nothing signed', async (_, edit, fault) => {
    copyOf(unsigned)
    edit()
    restate(copy, null)
    const { faults } = await verifyCertificate(copy, null)
    expect(faults.join('\n')).toMatch(fault)
  })
})

describe('a forged certificate, all files derived again and signed with an own key', () => {
  const relabel = () => {
    changeRecords(/"clock":"remote"/, '"clock":"real"')
    changeRecords(/"clock":\{"url":"[^"]*"\}/, '"clock":"real"')
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
        changeRecords(/"target":\d+,"harness":\d+/g, '"target":1,"harness":1')
      },
      /^run-1\/evidence\.ndjson: its clock is real, but \d+ ms passed in \d+ ms/m,
    ],
    [
      'a record called real alone',
      () => changeRecords(/"clock":"remote"/, '"clock":"real"'),
      /: its clock is real, but its target names another one/,
    ],
    [
      'the embedded reference under another name',
      () => changeRecords(/http:\/\/127\.0\.0\.1:\d+/g, 'https://reference.test'),
      /: exchange \d+ was sent to the embedded reference/,
    ],
    ['nothing', () => {}, /^$/],
    ...['run-2/load/00-x/evil.html', 'run-1/bodies/999.bin', 'run-1/other/empty/file'].map(
      (name): [string, () => void, RegExp] => [
        `${name} more`,
        () => addFile(name),
        new RegExp(`^${name} does not belong to a certificate$`, 'm'),
      ],
    ),
  ])('%s', async (_, edit, fault) => {
    copyOf(signed)
    edit()
    await deriveAgain()
    const { faults } = await verifyCertificate(copy, createPublicKey(stranger as never))
    expect(faults.join('\n')).toMatch(fault)
  })
})

test.each<[what: string, edit: () => void, fault: string]>([
  ['the statement is a link', () => link(statementFile), 'statement.json is not a file of the certificate'],
  ['the envelope is a link', () => link(envelopeFile), 'certificate.dsse.json is not a file of the certificate'],
  ['a report is a link', () => link('run-1/report.html'), 'run-1/report.html was changed: it has another digest'],
  ['an empty folder', () => mkdirSync(join(copy, 'run-1/load')), 'run-1/load is not a file of the certificate'],
])('%s, and nothing is signed again', async (_, edit, fault) => {
  copyOf(signed)
  edit()
  expect((await verifyCertificate(copy, publicKey)).faults).toEqual([fault])
})

test('a certificate without its statement is not valid, and without its envelope too not a certificate', async () => {
  copyOf(signed)
  rmSync(join(copy, statementFile))
  const said = 'statement.json is missing\nnot valid: 1 fault\n'
  expect(await commands.run(['verify', 'copy'])).toEqual({ code: 1, said })
  rmSync(join(copy, envelopeFile))
  expect(await commands.run(['verify', 'copy'])).toMatchObject({ code: 2 })
})

test('verify prints faults first, and claims only beside none', async () => {
  writeFileSync(join(cwd, 'stranger.pem'), createPublicKey(stranger as never).export({ type: 'spki', format: 'pem' }))
  const verified = async (...args: string[]) => (await commands.run(['verify', ...args])).said
  expect(await verified('acme', '--key', 'stranger.pem')).toMatch(
    /^certificate\.dsse\.json is signed by another key, .*\nnot valid: 1 fault\n$/,
  )
  expect(await verified('acme')).toMatch(
    /^the signature was not checked.*\nclaims of a certificate whose signature by sha256:\w+ was not checked:\n {2}claims to be /,
  )
  expect(await verified('unsigned')).toMatch(
    /^the certificate is unsigned.*\nclaims of a certificate that nobody signed:\n {2}claims to be /,
  )
  copyOf(signed)
  change((it) => Object.assign(it, { target: 'Acme\nvalid' }))
  writeFileSync(join(copy, 'a\nvalid'), '')
  restate(copy, stranger)
  expect(await verified('copy', '--key', 'stranger.pem')).toMatch(
    /^a\\u\{a\}valid does not belong (?!.*claims ).*\nnot valid: \d faults\n$/s,
  )
})

describe('runs make no certificate', () => {
  let runs: readonly CertifiedRun[] = []
  beforeAll(async () => {
    ;({ runs } = await judgedRuns(signed))
  })

  test.each<[what: string, changed: object, fault: string]>([
    ['that are not strict', { strict: false }, 'run-2: it is not strict'],
    ['of rules of a vendor', { rulesFolder: 'rules' }, 'run-2: it judges rules of a vendor'],
    ['of the embedded reference', { clock: 'virtual' }, 'run-2: it judges the embedded reference'],
    [
      'with another load',
      { load: { rules: [], isSmoke: true } },
      'run-2: it drives a load, which only the first run does',
    ],
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

test('a registry shows each certificate with the result of its verification', async () => {
  const dir = join(cwd, 'registry')
  for (const name of ['acme', 'bare', 'forged', 'keyless'])
    cpSync(name === 'bare' ? unsigned : signed, join(dir, name), { recursive: true })
  for (const name of ['acme', 'forged']) writeFileSync(join(dir, `${name}.pem`), own.publicKey)
  replaceIn(join(dir, 'forged', 'badge.svg'), /inside/, '<script>')
  const { code, said } = await commands.run(['registry', 'registry'])
  expect(said.split('\n').slice(0, 4)).toEqual([
    'acme: valid',
    'bare: not verified: the certificate is unsigned: anybody can have made it',
    'forged: not valid: badge.svg was changed: it has another digest',
    'keyless: not verified: the signature was not checked: no key given; add keyless.pem',
  ])
  expect(code).toBe(1)
  const page = readFileSync(join(dir, 'index.html'), 'utf8')
  expect(page).toContain('the reference implementation (<a href="acme/run-1/report.html">acme</a>)')
  expect(page).toContain('not valid: badge.svg was changed')
  expect(page).toContain('4 certificates of the Compute Platform API, 1 of them valid')
  expect(page.match(/<td>(claims )?conformant<\/td>/g)).toEqual([
    '<td>conformant</td>',
    '<td>claims conformant</td>',
    '<td>claims conformant</td>',
  ])
  expect(page).not.toContain('href="forged')
  expect(page).not.toMatch(/href="(bare|keyless)/)
  for (const [name, key] of [
    ['empty', 'none'],
    ['folder', null],
  ] as const) {
    mkdirSync(join(dir, name))
    if (key === null) mkdirSync(join(dir, `${name}.pem`))
    else writeFileSync(join(dir, `${name}.pem`), key)
  }
  expect(await commands.run(['registry', 'registry'])).toMatchObject({
    code: 1,
    said: expect.stringMatching(
      /\nempty: not valid: empty\.pem is not a public key in PEM .*\nfolder: not valid: folder\.pem is not a file\n.*page: /s,
    ),
  })
  for (const name of ['bare', 'forged', 'keyless', 'empty', 'folder', 'folder.pem'])
    rmSync(join(dir, name), { recursive: true })
  mkdirSync(join(dir, '.git'))
  expect(await commands.run(['registry', 'registry', '--out', 'page.html'])).toMatchObject({ code: 0 })
  expect(readFileSync(join(cwd, 'page.html'), 'utf8')).toContain('href="registry/acme/run-1/report.html"')
  expect(await commands.run(['registry', 'registry/acme'])).toMatchObject({ code: 2 })
  expect(await commands.run(['registry', 'none'])).toMatchObject({ code: 2 })
})

/** An edit of the copy: what was done, and the file that verify has to name. A changed statement is not the signed one. */
type Edit = (random: () => number, names: readonly string[]) => { readonly what: string; readonly file: string }

const edits: readonly Edit[] = [
  ...[changeByte, changeByte, changeByte],
  (random) => ({ what: 'an exchange removed', file: changeExchanges(random, 'removed') }),
  (random) => ({ what: 'two exchanges swapped', file: changeExchanges(random, 'swapped') }),
  (random) => ({ what: 'an exchange repeated', file: changeExchanges(random, 'repeated') }),
  (random) => signedAgain('a verdict changed, its digest recomputed', () => changeVerdict(anyRun(random)), undefined),
  (random) => signedAgain('a verdict changed, signed with another key', () => changeVerdict(anyRun(random)), stranger),
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

function signedAgain(what: string, edit: () => void, key: KeyObject | undefined, name?: string) {
  edit()
  restate(copy, key, name)
  return { what, file: envelopeFile }
}

function anyRun(random: () => number): string {
  return `run-${1 + Math.floor(random() * 3)}`
}

function changeByte(random: () => number, names: readonly string[]) {
  const file = pick(random, names)
  const bytes = readFileSync(join(copy, file))
  const at = Math.floor(random() * bytes.length)
  bytes[at] = ((bytes[at] ?? 0) + 1 + Math.floor(random() * 255)) % 256
  writeFileSync(join(copy, file), bytes)
  return { what: `byte ${at} of ${file}`, file }
}

function pick<Item>(random: () => number, items: readonly Item[]): Item {
  return items[Math.floor(random() * items.length)] as Item
}

function copyOf(certificate: string): void {
  rmSync(copy, { recursive: true, force: true })
  cpSync(certificate, copy, { recursive: true })
}

function replaceIn(file: string, pattern: RegExp, replacement: string): void {
  const text = readFileSync(file, 'utf8')
  expect(text).toMatch(pattern)
  writeFileSync(file, text.replace(pattern, replacement))
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

function statementIn(dir: string): Statement {
  return JSON.parse(readFileSync(join(dir, statementFile), 'utf8'))
}

/** Changes what the statement of the copy claims. */
function change(edit: (predicate: { profiles: string[]; runs: object[] } & object) => void): void {
  const statement = statementIn(copy)
  edit(statement.predicate as never)
  writeFileSync(join(copy, statementFile), jsonText(statement))
}

/**
 * States the files of a folder as they are now, as a forger would, and signs that with a key; `null`: unsigned,
 * `undefined`: the earlier envelope stays.
 */
function restate(dir: string, key: KeyObject | null | undefined, name?: string): void {
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

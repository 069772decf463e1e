import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { runHere } from './testing/in-process.ts'

const quick = 120_000
const cwd = mkdtempSync(join(tmpdir(), 'plumbline-refusals-'))
const plumbline = (words: readonly string[]) => runHere(words, { cwd })

beforeAll(() => {
  for (const name of ['acme', 'bare']) {
    mkdirSync(join(cwd, 'registered', name), { recursive: true })
    writeFileSync(join(cwd, 'registered', name, 'statement.json'), '{}')
  }
  mkdirSync(join(cwd, 'empty'))
  writeFileSync(join(cwd, 'bad.yaml'), 'plumbline: 1\npods: https://a.test\nkeys: {full: inline}\n')
  writeFileSync(
    join(cwd, 'away.yaml'),
    'plumbline: 1\npods: http://127.0.0.1:1\nkeys: {full: plumbline-example-full}\n',
  )
  writeFileSync(
    join(cwd, 'priced.yaml'),
    `${readFileSync(join(cwd, 'away.yaml'), 'utf8')}budget: {podPricePerHour: 1000}\n`,
  )
})

describe.concurrent('one clear sentence', () => {
  test.each<[words: string, message: string, code?: number]>([
    ['foo', "plumbline: unknown command 'foo'; --help shows the usage"],
    ['chekc', "plumbline: unknown command 'chekc'; did you mean check?"],
    ['help chekc', "plumbline: unknown command 'chekc'; did you mean check?"],
    ['help nope', "plumbline: unknown command 'nope'; --help shows the usage"],
    ['check --reference --rerun-failed empty', 'plumbline: --rerun-failed empty holds no results.json; '],
    ['serve --state none', 'plumbline: --state none cannot be read: there is no such file'],
    ['serve --probe= --port 0', 'plumbline: --probe is empty; give a program and its arguments'],
    [
      'regress --baseline away.yaml --candidate away.yaml --operation nope',
      'plumbline: --operation: "nope" is not measured; known: listPods, ',
    ],
    ['check --tagret x', "plumbline: unknown option '--tagret'; did you mean --target?"],
    ['check --strict=maybe', "plumbline: option '--strict' takes no value"],
    ['regress --baseline a --candidate b --no-check=1', "plumbline: option '--no-check' takes no value"],
    ['check --json=1', "plumbline: unknown option '--json=1'; --help shows the usage"],
    [
      'check --target a.yaml --target b.yaml',
      "plumbline: option '--target <file>' is given more than once; give it once",
    ],
    ['fuzz --walk --walk', "plumbline: option '--walk [plane]' is given more than once; give it once"],
    [
      'check --seed x',
      "plumbline: option '--seed <number>' argument 'x' is invalid. Expected an integer of at least 0.",
    ],
    [
      'check --seed 99999999999999999999',
      "plumbline: option '--seed <number>' argument '99999999999999999999' is invalid. Expected an integer of at least 0, at most 9007199254740991.",
    ],
    [
      'serve --port 99999999999999999999',
      "plumbline: option '--port <number>' argument '99999999999999999999' is invalid. Expected an integer from 0 to 65535.",
    ],
    [
      'check --budget 0s',
      "plumbline: option '--budget <length>' argument '0s' is invalid. Expected a length of time above 0 with its unit, such as 20s, 5m or 1h.",
    ],
    [
      'check --reference --only !pods.*',
      'plumbline: --only !pods.*: "!" is not allowed; give an id, a glob such as queue.*, or an area, and repeat --only for several',
    ],
    [
      'check --reference --only nothing.at.all',
      'plumbline: --only: no rule matches nothing.at.all; plumbline rules lists all',
    ],
    [
      'check --target bad.yaml',
      `${'bad.yaml'}:3: keys.full: the key is written out; use \${NAME} and set that environment variable`,
    ],
    [
      'check --target none.yaml',
      'none.yaml: no such target file; name a target file (docs/target-file.md shows how to write one)',
    ],
    [
      'load foo',
      "plumbline: command-argument value 'foo' is invalid for argument 'kind'. Allowed choices are smoke, limits, pods",
    ],
    ['load limits', 'plumbline: load needs --target FILE; it has no default, because it floods and purges an endpoint'],
    ['check --reference --keep', "plumbline: option '--reference' cannot be used with option '--keep'"],
    [
      'fuzz --runs 0',
      "plumbline: option '--runs <number>' argument '0' is invalid. Expected an integer of at least 1.",
    ],
    [
      'fuzz --reference --duration 0s',
      "plumbline: option '--duration <length>' argument '0s' is invalid. Expected a length of time above 0 with its unit, such as 20s, 5m or 1h.",
    ],
    [
      'check --reference --max-pods 1',
      "plumbline: option '--reference' cannot be used with option '--max-pods <number>'",
    ],
    ['check --reference --max-cost 1', "plumbline: option '--reference' cannot be used with option '--max-cost <usd>'"],
    [
      'check --max-cost -1',
      "plumbline: option '--max-cost <usd>' argument '-1' is invalid. Expected an amount of USD, such as 2 or 0.50.",
    ],
    [
      'check --target away.yaml --only pods.action.exited.stop --quiet --max-cost 1',
      'plumbline: --max-cost permits 1 USD; estimated cost: unknown (set budget: {podPricePerHour: USD} in the target file), for about ',
    ],
    [
      'check --target priced.yaml --only pods.action.exited.stop --quiet --max-cost 1.5',
      'plumbline: --max-cost permits 1.5 USD; estimated cost: about ',
    ],
    ['replay .', 'plumbline: . is not a folder with evidence.ndjson; check and load write one with --out FOLDER'],
    [
      'check --reference --out bad.yaml/below',
      'plumbline: --out bad.yaml/below cannot be written (ENOTDIR); name another folder',
    ],
    ['check --reference --out .', 'plumbline: --out . holds files but no earlier result of plumbline; choose a new or'],
    ['prove --served --matrix', 'plumbline: --served cannot be combined with --matrix'],
    ['prove --sample 40', 'plumbline: --sample and --seed need --malformed or --served'],
    ['fuzz --reference --json .', 'plumbline: --json . is a folder; name a file'],
    ['serve --print-target .', 'plumbline: --print-target . is a folder; name a file'],
    ['serve --json', 'plumbline: --json needs --list'],
    ['serve --quotas minute=6,minute=7', 'Expected minute=60,hour=3000,day=50000 or a part of it, each once'],
    ['serve --only lb', 'plumbline: --only needs --list; --defect and --latitude name what is served'],
    ['serve --list --only nope', 'plumbline: --only: no rule, defect or latitude matches nope; plumbline rules'],
    ['rules --only nope', 'plumbline: --only: no rule matches nope; plumbline rules lists all'],
    [
      'serve --defect ttl-default-12-h --defect ttl-default-48-h',
      'plumbline: --defect: ttl-default-12-h and ttl-default-48-h exclude each other, because the one that is laid over the other hides it; serve one of them',
    ],
    [
      'serve --defect run-half --defect cancel-half',
      'plumbline: --defect: run-half and cancel-half exclude each other, because a load finds one of them at a time; serve one of them',
    ],
    ...['check', 'plan', 'doctor', 'fuzz'].map((command): [string, string] => [
      command,
      'plumbline: no target file: write ./plumbline.yaml with plumbline init, or name one with --target FILE; --reference judges the built-in reference',
    ]),
    [
      'certify',
      'plumbline: no target file: write ./plumbline.yaml with plumbline init, or name one with --target FILE',
    ],
    ...['judge good.har', 'proxy'].map((command): [string, string] => [
      command,
      'plumbline: no target file: write ./plumbline.yaml with plumbline init, or name one with --target FILE; --pods URL judges without one',
    ]),
    ['check --reference --target bad.yaml', 'plumbline: give either --target or --reference, not both'],
    [
      'check --reference --profile limits',
      'plumbline: --profile: limits is judged by load; add --load, or run plumbline load limits --target FILE, or load pods',
    ],
    ['sweep rnone', 'no run rnone below'],
    ['verify none', 'plumbline: none is not a folder; name the folder of a certificate'],
    [
      'verify empty',
      'plumbline: empty is not a certificate: it has neither statement.json nor certificate.dsse.json; name the folder of one',
    ],
    ['verify registered', 'plumbline: registered holds 2 certificates; '],
    ['registry none', 'plumbline: none is not a folder; name one with a folder for each certificate'],
    ['certify --target away.yaml --profile lab --out new', 'plumbline: --profile: lab is judged by load, once; add a'],
    [
      'certify --target away.yaml --profile inside --out refused --key none',
      'plumbline: --key none cannot be read (there is no such file); name a PEM file',
    ],
    ['check --reference --only nope --out refused', 'plumbline: --only: no rule matches nope'],
    ['check --target away.yaml --out refused --start false --quiet', 'plumbline: the server ended with exit code 1', 5],
    ['judge . --target away.yaml', 'plumbline: . cannot be read (it is a folder); name a HAR file'],
    [
      'rules extra',
      "plumbline: too many arguments for 'rules'. Expected 0 arguments but got 1: extra; --help shows the usage",
    ],
    [
      'serve --clock fast',
      "plumbline: option '--clock <kind>' argument 'fast' is invalid. Allowed choices are real, control.",
    ],
  ])('%s', { timeout: quick }, async (words, message, code = 2) => {
    const seen = await plumbline(words.split(' '))
    expect(seen.err).toContain(message)
    expect(seen.err.trim().split('\n')).toHaveLength(1)
    expect(seen).toMatchObject({ code, out: '' })
    expect(readdirSync(cwd)).not.toContain('refused')
  })

  test.each<[words: string, out: RegExp]>([
    ['--help', /^Usage: plumbline \[options\] \[command\]\n/],
    ['help', /^Usage: plumbline \[options\] \[command\]\n/],
    ['help check', /^Usage: plumbline check \[options\]\n/],
    ['check --help', /^Usage: plumbline check \[options\]\n/],
    ['--version', /^\d+\.\d+\.\d+\n$/],
    ['-v', /^\d+\.\d+\.\d+\n$/],
  ])('%s is not an error', { timeout: quick }, async (words, out) => {
    expect(await plumbline(words.split(' '))).toMatchObject({ code: 0, out: expect.stringMatching(out), err: '' })
  })

  test('the usage shows the defaults of values alone', { timeout: quick }, async () => {
    const { out } = await plumbline(['serve', '--help'])
    expect(out).toContain('(default: 8080)')
    expect(out).not.toMatch(/default:\s+(false|\[\])/)
  })

  test('no command is an error, which shows the usage', { timeout: quick }, async () => {
    expect(await plumbline([])).toMatchObject({ code: 2, out: '', err: expect.stringMatching(/^Usage: plumbline /) })
  })

  test('a target that is not there is 5, and leaves no ledger', { timeout: quick }, async () => {
    const words = 'check --target priced.yaml --max-cost 99 --only auth.pods.missing'
    const { code, out, err } = await plumbline([...words.split(' ')])
    expect(code).toBe(5)
    expect(err).toContain('\nestimated cost: about ')
    expect(out).toMatch(/^unreachable: http:\/\/127\.0\.0\.1:1 gives no response that can be judged/m)
  })
})

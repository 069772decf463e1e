import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createPort, type Server } from 'node:net'
import { join } from 'node:path'
import { parse } from 'shell-quote'
import { afterAll, describe, expect, test } from 'vitest'
import { freePort, listening } from '../../harness/testing/listening.ts'
import { isAlive } from '../shared/process.ts'
import { createCommands, until } from '../shared/testing/commands.ts'

// Real servers in processes of their own: the reference, and shell commands that fail in each way.

const { cwd, run, start, close } = createCommands('server')
afterAll(close)

const key = 'plumbline-example-full'
const main = join(import.meta.dirname, '..', 'main.ts')
/** The reference in the background of its shell, and two more processes whose ids are noted. */
const serveAt = (port: number, rest: string) =>
  `'${process.execPath}' '${main}' serve --port ${port} & sleep 600 & echo $! $$ > noted-${port}; ${rest}`

test('a server is started, waited for, and ended with all that it started', async () => {
  const port = await freePort()
  const file = targetAt(port)
  const started = serveAt(port, 'wait')
  const { code, said } = await run(judging(file, '--start', inFolder(started)))
  expect(said).toMatch(/the target answered after /)
  expect(said).toContain('conformant: core (1 of 1 must rules verified')
  expect(code).toBe(0)
  await until(() => !notedAt(port).some(isAlive))
})

describe('after a failure the command that reruns a rule', () => {
  const failing = async (prefix: string) => {
    const port = await freePort()
    const started = `${prefix}'${process.execPath}' '${main}' serve --port ${port} --defect pods-create-cpu-many-400`
    const words = ['--only', 'pods.create.cpu', '--out', `failed-${port}`]
    const { code, said } = await run([
      'check',
      '--target',
      targetAt(port),
      ...words,
      '--start',
      started,
      '--wait',
      '90s',
    ])
    expect(code).toBe(1)
    return { said, port, started, again: /rerun this rule: +(.*)/.exec(said)?.[1] ?? '' }
  }

  test('starts the server, too', async () => {
    const { said, again, started } = await failing('X="1 2" ')
    expect(said).toMatch(/the server has ended with the run: commands that rerun a rule start it again; .*\n$/)
    const words = parse(again).map(String)
    expect(words.slice(-4)).toEqual(['--start', started, '--wait', '90s'])
    const { code, said: saidAgain } = await run(words.slice(words.indexOf('check')))
    expect(code, saidAgain).toBe(1)
  })
})

test.for([
  ['SIGINT', 130],
  ['SIGKILL', null],
] as const)('a server ends with a run that %s ends', async ([signal, code]) => {
  const port = await freePort()
  const only = ['--only', 'pods.status.running-lasts']
  const command = start(['check', '--target', targetAt(port), ...only, '--start', inFolder(serveAt(port, 'wait'))])
  await until(() => command.said().includes('the target answered after'))
  await until(() => command.said().includes('on the real clock'))
  command.child.kill(signal)
  expect(await once(command.child, 'exit')).toEqual([code, code === null ? signal : null])
  await until(() => !notedAt(port).some(isAlive))
})

describe('a server that', () => {
  const lines = Array.from({ length: 30 }, (_, n) => `line-${n + 1}.`)
  test.for<[says: string, command: string, code: number, said: string[], not: string[]]>([
    [
      'fails before it answers',
      `printf '%s\\n' ${lines.join(' ')}; echo $SAID >&2; exit 7`,
      5,
      [
        'plumbline: the server ended with exit code 7 before the target answered; its last output:\n',
        'line-30.',
        '«key.full»',
      ],
      ['line-10.', key],
    ],
    [
      'does not exist',
      'no-such-program',
      5,
      ['the server ended with exit code 127 before the target answered; its last output:\n', 'no-such-program'],
      [],
    ],
    [
      'listens somewhere else',
      'echo listening on 9; sleep 600',
      5,
      ['listens there, or raise --wait; its last output:\n  listening on 9\n'],
      [],
    ],
    [
      'never answers',
      'sleep 600',
      5,
      [
        'did not answer within 1s; last failure: ',
        'last failure: GET http://127.0.0.1:',
        'could not connect (the connection was refused)',
      ],
      [],
    ],
    [
      'gets a key in its command',
      `API_KEY=${key} ./server`,
      2,
      ['plumbline: --start contains a secret of the target file, and the command is recorded; '],
      [key],
    ],
    ['is not named', ' ', 2, ['plumbline: --start is empty; give the command that serves the target\n'], []],
  ])('%s', async ([, command, code, expected, not]) => {
    const file = targetAt(await freePort())
    const seen = await run(judging(file, '--start', command, '--wait', '1s'), { SAID: key })
    expect(seen.code).toBe(code)
    for (const text of expected) expect(seen.said).toContain(text)
    for (const text of not) expect(seen.said).not.toContain(text)
  })

  test('ends during the run makes it incomplete, also in its reports', async () => {
    const port = await freePort()
    const whileAlive = 'S=$!; while [ ! -e "$PLUMBLINE_DIES" ]; do sleep 0.1; done'
    const dying = `'${process.execPath}' '${main}' serve --port ${port} & ${whileAlive}; kill -9 $S; echo dying; exit 3`
    const words = ['check', '--target', targetAt(port), '--only', 'pods.*', '--out', 'died', '--start', dying]
    const command = start(words, { PLUMBLINE_DIES: join(cwd, 'dies') })
    await until(() => command.said().includes('on the real clock'))
    writeFileSync(join(cwd, 'dies'), '')
    const { code, said } = await command.ended
    expect(said).toContain(
      'plumbline: the server ended with exit code 3 during the run, so its results are not reliable',
    )
    expect(said).toMatch(/; its last output:\n(.*\n)* {2}dying\n/)
    const lines = said.trimEnd().split('\n')
    expect(lines.indexOf('  dying')).toBeLessThan(lines.findIndex((line) => line.startsWith('incomplete: ')))
    expect(lines.at(-1)).toBe(`report: ${join(cwd, 'died', 'report.html')}`)
    const { run: judged, verdict } = JSON.parse(readFileSync(join(cwd, 'died', 'results.json'), 'utf8'))
    expect(judged.serverEnd).toBe('the server ended with exit code 3 during the run')
    expect(verdict).toMatchObject({ word: 'incomplete', exit: 3, line: expect.stringContaining(judged.serverEnd) })
    expect(code).toBe(3)
    // Many requests were under way at that moment, and each of them failed.
    const replayed = await run(['replay', 'died'])
    expect(replayed.code, replayed.said).toBe(3)
  })
})

test('an error before the run is an annotation in GitHub Actions, without secrets', async () => {
  const words = ['check', '--target', targetAt(await freePort()), '--start', 'echo 100% $SAID; exit 1']
  const { code, said } = await run(words, { GITHUB_ACTIONS: 'true', SAID: key })
  const text = 'plumbline: the server ended with exit code 1 before the target answered; its last output:'
  expect(said).toContain(`\n::error title=plumbline::${text}%0A  100%25 «key.full»\n`)
  expect(said).not.toContain(key)
  expect(code).toBe(5)
})

describe('--wait', () => {
  test('waits for a target that somebody else starts', async () => {
    const port = await freePort()
    const file = targetAt(port)
    const command = start(judging(file, '--wait', '60s'))
    start(['serve', '--port', String(port)])
    expect(await command.ended).toMatchObject({ code: 0 })
  })

  test('a server that accepts and never responds is no answer', async () => {
    const silent = createPort((socket) => void socket.on('error', () => {}))
    const file = targetAt(await portOf(silent))
    const { code, said } = await run(['check', '--target', file, '--wait', '1s'])
    expect(said).toMatch(
      /^waiting for http:\/\/127\.0\.0\.1:\d+, at most 1s\n.* did not answer within 1s; .* had no complete response/,
    )
    expect(code).toBe(5)
  })

  test('a gateway in front of nothing is no answer', async () => {
    const gateway = createServer((_, response) => response.writeHead(503).end())
    const file = targetAt(await portOf(gateway))
    const { code, said } = await run(['check', '--target', file, '--wait', '1s'])
    expect(said).toMatch(
      /did not answer within 1s; last failure: GET http:\/\/127\.0\.0\.1:\d+ was answered 503 by a gateway/,
    )
    expect(code).toBe(5)
  })
})

test('a server is not started beside another one at its address', async () => {
  const other = createServer((_, response) => response.end())
  const file = targetAt(await portOf(other))
  const { code, said } = await run(['check', '--target', file, '--start', 'touch started'])
  expect(said).toMatch(/^plumbline: --start: http:\/\/127\.0\.0\.1:\d+ answers already; end what serves it/m)
  expect([code, existsSync(join(cwd, 'started'))]).toEqual([2, false])
})

test.each(['--start', '--wait'])('%s is refused with --reference', async (flag) => {
  const { code, said } = await run(['check', '--reference', flag, '5s'])
  expect([code, said]).toEqual([
    2,
    `plumbline: option '--reference' cannot be used with option '${flag} <${flag === '--start' ? 'command' : 'length'}>'\n`,
  ])
})

function targetAt(port: number): string {
  const file = `target-${port}.yaml`
  writeFileSync(join(cwd, file), `plumbline: 1\npods: http://127.0.0.1:${port}\nkeys: {full: ${key}}\n`)
  return file
}

/** The port on which a server of this test listens. */
async function portOf(server: Server): Promise<number> {
  return Number(new URL(await listening(server)).port)
}

/** The words of a check of one rule. */
function judging(file: string, ...flags: readonly string[]): string[] {
  return ['check', '--target', file, '--only', 'pods.create.cpu', ...flags]
}

/** Commands of a test in this process run in the folder of the test runner. */
function inFolder(command: string): string {
  return `cd '${cwd}'; ${command}`
}

function notedAt(port: number) {
  return readFileSync(join(cwd, `noted-${port}`), 'utf8')
    .trim()
    .split(' ')
    .map((id) => ({ id: Number(id), began: null }))
}

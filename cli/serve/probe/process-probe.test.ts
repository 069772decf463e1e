import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import '../../../suites/all.ts'
import { allRules } from '../../../harness/rule/registry.ts'
import { rowOf } from '../../../harness/run/rows.ts'
import { noPython, python } from '../../../harness/testing/workers.ts'
import { judgeOn } from '../../../proof/judge.ts'
import { createProbe } from '../../../reference/containers/probe.ts'
import { composeOptions, probeImage } from '../../../reference/index.ts'
import { UsageError } from '../../shared/errors.ts'
import { connect } from '../connect.ts'
import type { Words } from '../worker/command.ts'
import { createProcessProbe, type ProcessProbe } from './process-probe.ts'

const program = fileURLToPath(new URL('../../../suites/probe/probe.py', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'plumbline-lying-'))
const rules = allRules().filter(({ id }) => rowOf(id).profile === 'inside')

const start = (words: Words) => createProcessProbe({ words, cwd: folder, environment: process.env, complain: () => {} })

/** Requests in order, each with its body and token. */
const requests: readonly (readonly [route: string, body?: string | undefined, token?: string])[] = [
  ['GET /plumbline/probe'],
  ['GET /plumbline/probe?env=PLUMBLINE_A,PLUMBLINE_B,HIDDEN,PLUMBLINE_PROBE', undefined, ''],
  ['GET /plumbline/file?path=/plumbline-a'],
  ['PUT /plumbline/file?path=/plumbline-a', 'text'],
  ['GET /plumbline/file?path=/plumbline-a'],
  ['GET /plumbline/file?path=/plumbline-a', undefined, 'other'],
  ['GET /plumbline/file?path=/plumbline-a', undefined, ''],
  ['PUT /plumbline/file?path=/workspace/plumbline-b', 'more'],
  ['GET /plumbline/file?path=/workspace/plumbline-b'],
  ['DELETE /plumbline/file?path=/workspace/plumbline-b'],
  ['DELETE /plumbline/file?path=/workspace/plumbline-b'],
  ['PUT /plumbline/file?path=/nowhere/plumbline-c', 'text'],
  ['GET /plumbline/file?path=/etc/passwd'],
  ['GET /plumbline/file?path=/../plumbline-d'],
  ['GET /plumbline/file?path=plumbline-e'],
  ['PUT /plumbline/file?path=/plumbline-long', 'x'.repeat(65_537)],
  ['POST /plumbline/call', '{"host":"10.0.0.2","port":8000}'],
  ['POST /plumbline/call', '{"host":"10.0.0.3","port":8000}'],
  ['POST /plumbline/call', '{"host":"10.0.0.2/etc","port":8000}'],
  ['POST /plumbline/call', '{"host":"10.0.0.2","port":"8000"}'],
  ['POST /plumbline/call', 'no JSON'],
  ['POST /plumbline/call', '{"host":"10.0.0.2","port":8000}', 'other'],
  ['POST /plumbline/probe', ''],
  ['GET /'],
]

/** Each start has another name. */
const ignored = (route: string) => (route.startsWith('GET /plumbline/probe') ? { start: '' } : {})

const refuse = () => Promise.reject(new Error('no route to host'))

/** The verdicts of rules about containers, all unless given, on a reference whose pods run this program, over HTTP. */
async function judge(probe: ProcessProbe, judged = rules): Promise<string[]> {
  const variants = [
    {
      id: 'processes',
      says: 'Containers are processes.',
      change: (base) => composeOptions(base, { images: { [probeImage]: probe.program() } }),
    },
  ] satisfies Parameters<typeof connect>[0]
  const judgements = await judgeOn({ variants, connect, rules: judged })
  return judgements.flatMap(({ rule, verdict, reason, findings: [finding] }) =>
    verdict === 'passed' || verdict === 'observed'
      ? []
      : [`${rule}: ${verdict} ${finding === undefined ? reason : `${finding.clause}: ${finding.observed}`}`],
  )
}

/** The probe, changed by lines that run before it starts. */
function lying(...lines: readonly string[]): Words {
  const imported = ['import os, sys', `sys.path.insert(0, ${JSON.stringify(dirname(program))})`]
  return [python ?? '', '-Bc', [...imported, ...lines, 'import probe', 'probe.main()'].join('\n')]
}

describe.skipIf(python === null)(`the probe as processes (else: ${noPython})`, { timeout: 300_000 }, () => {
  let honest: ProcessProbe
  beforeAll(async () => {
    honest = await start([python ?? '', '-B', program])
  }, 60_000)
  afterAll(() => honest.close(1_000))

  test('every rule about containers passes, and no process is left', async () => {
    expect(rules).toHaveLength(7)
    expect(await judge(honest)).toEqual([])
    await expect.poll(() => honest.running(), { timeout: 20_000 }).toBe(0)
  })

  test('it gives the responses of the probe of the reference', async () => {
    const mounts = { '/workspace': 'storage' }
    const env = { PLUMBLINE_PROBE: 'token', PLUMBLINE_A: 'ü = "1"', HIDDEN: 'x' }
    const call = (request: Request) =>
      request.url === 'http://10.0.0.2:8000/plumbline/probe' ? Promise.resolve(Response.json({ start: 's' })) : refuse()
    const tools = { pod: 'p', args: 'x  y', env, disk: 'disk', mounts, call }
    const twins = [honest.program().start(tools), createProbe().start(tools)]
    for (const [route, body, token = 'token'] of requests) {
      const [method = '', path] = route.split(' ')
      const headers = { 'plumbline-probe': token }
      const ask = () => new Request(`http://pod${path}`, { method, headers, ...(body === undefined ? {} : { body }) })
      const [real, own] = await Promise.all(
        twins.map(async (twin) => {
          const response = await twin.fetch(ask())
          return { route, status: response.status, ...((await response.json()) as object), ...ignored(route) }
        }),
      )
      expect(real).toEqual(own)
    }
    for (const twin of twins) twin.stop()
  })

  test.each([
    ['drops an argument', ['del sys.argv[2:3]'], 'pods.container.args-env: failed args: "x"'],
    [
      'keeps its disk',
      [
        `os.environ["PLUMBLINE_PROBE_ROOT"] = os.path.join(${JSON.stringify(folder)}, os.environ.get("PLUMBLINE_PROBE", "first"))`,
        'os.makedirs(os.environ["PLUMBLINE_PROBE_ROOT"], exist_ok=True)',
      ],
      'pods.action.restart-wipes-disk: failed wiped: the file of before the restart',
    ],
    [
      'answers for another pod',
      ['import probe', 'probe.call_peer = lambda _: {"start": probe.START}'],
      'pods.global-networking.reachable: failed ip: that of another container',
    ],
  ])('a probe that %s fails', async (_, lines, failure) => {
    const probe = await start(lying(...lines))
    onTestFinished(() => probe.close(1_000))
    const about = rules.filter(({ id }) => failure.startsWith(`${id}: `))
    expect(await judge(probe, about)).toEqual([failure])
  })
})

test('a program that is not a probe is refused', async () => {
  await expect(start([process.execPath, '-e', ''])).rejects.toThrow(UsageError)
  await expect(start([process.execPath, '-e', 'console.log(JSON.stringify({type:"ready",v:1}))'])).rejects.toThrow(
    'its ready message has no port',
  )
})

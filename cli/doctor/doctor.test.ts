import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { parse, parseDocument } from 'yaml'
import { parseTarget } from '../../target-file/load.ts'
import { createCommands } from '../shared/testing/commands.ts'
import { diagnose } from './doctor.ts'

const pods = 'plumbline: 1\npods: https://a.test\nkeys: {full: plumbline-example-full}\n'

function doctor(text: string): string[] {
  return diagnose(parseTarget(text, { file: 'target.yaml', environment: {} }))
}

test('each line to add is YAML', () => {
  const hints = doctor(pods).flatMap((line) => / unclaimed .*; add (.*)$/.exec(line)?.[1] ?? [])
  expect(hints.length).toBeGreaterThan(10)
  expect(hints.flatMap((hint) => parseDocument(hint).errors)).toEqual([])
})

test('needs of a plane that is not given are not listed', () => {
  const needs = doctor(pods).flatMap((line) => /^(\S+) +(claimed|absent|unclaimed) /.exec(line)?.[1] ?? [])
  expect(needs).toContain('queue')
  expect(needs).toContain('volume')
  expect(
    needs.filter((need) => ['worker', 'receiver', 'stream', 'endpoint.second', 'lb.worker'].includes(need)),
  ).toEqual([])
})

test('a need that is declared absent shows its reason and the rules that it leaves out', () => {
  const queue = 'queue: {url: https://q.test, endpoints: {normal: e}}\nabsent: {stream: not offered}\n'
  const lines = doctor(`plumbline: 1\n${queue}keys: {full: plumbline-example-full}\n`)
  expect(lines.find((line) => line.startsWith('stream '))).toMatch(/^stream +absent +[1-9]\d*(\+\d+)? +not offered$/)
})

describe('--fix', () => {
  const sentNothing = 'nothing was sent; doctor --fix asks the target and adds what it sees\n'
  const served = createCommands('doctor')
  afterAll(() => served.close())

  test('adds what was seen, and keeps comments and the rest', async () => {
    const { url } = await served.serve([])
    const file = join(served.cwd, 'mine.yaml')
    const before = `# ours
plumbline: 1
# the queue
queue:
  url: ${url}
  endpoints: { normal: normal } # for jobs
keys:
  full: plumbline-example-full
`
    writeFileSync(file, before)
    const run = () =>
      served.run(['doctor', '--fix', '--target', 'mine.yaml'], { SECOND_API_KEY: 'plumbline-example-second' })
    const without = await served.run(['doctor', '--target', 'mine.yaml'])
    expect(without.said.endsWith(`\n${sentNothing}`)).toBe(true)
    const { code, said } = await run()
    expect(said).not.toContain(sentNothing)
    expect(said).toContain('mine.yaml: requests was seen: queue: {requests: true}')
    expect(code).toBe(0)
    const after = readFileSync(file, 'utf8')
    expect(after).toBe(
      before
        .replace('# for jobs\n', '# for jobs\n  requests: true\n')
        .replace('-full\n', `-full\n  second: \${SECOND_API_KEY}\n`),
    )
    expect((await run()).said).toContain('mine.yaml: nothing to add was seen')
    expect(readFileSync(file, 'utf8')).toBe(after)
  })

  test('a restricted key is added without permissions, which no read shows', async () => {
    const { url } = await served.serve([])
    const file = join(served.cwd, 'restricted.yaml')
    writeFileSync(file, pods.replace('https://a.test', url))
    const environment = { RESTRICTED_API_KEY: 'plumbline-example-restricted' }
    const { said } = await served.run(['doctor', '--fix', '--target', 'restricted.yaml'], environment)
    expect(said).not.toMatch(/(may|lb|queue|management|restricted) was seen/)
    expect(parse(readFileSync(file, 'utf8')).keys.restricted).toEqual({ key: `\${RESTRICTED_API_KEY}` })
    const { grants } = parseTarget(readFileSync(file, 'utf8'), { file, environment })
    expect(grants.mayNot).not.toContain('queue')
  })

  test('a target without a catalog: the line that it needs instead', async () => {
    const { url } = await served.serve([])
    const text = pods.replace('pods: https://a.test', `pods: {url: ${url}, paths: {listCpuFlavors: /v2/none}}`)
    writeFileSync(join(served.cwd, 'none.yaml'), text)
    const { code, said } = await served.run(['doctor', '--fix', '--target', 'none.yaml'])
    expect(said).toContain(
      'none.yaml: catalog is claimed by default, but GET /v2/none returned 404; for a target without it, write ' +
        'pods: {cpu: {id: FLAVOR_ID, vcpuCount: 2, memory: 4}} and absent: {catalog: REASON}\n',
    )
    expect(code).toBe(0)
  })

  test('a target that is away: one sentence, and the file stays', async () => {
    const text = pods.replace('https://a.test', 'http://127.0.0.1:1')
    writeFileSync(join(served.cwd, 'away.yaml'), text)
    const { code, said } = await served.run(['doctor', '--fix', '--target', 'away.yaml'])
    expect(said).toMatch(/^plumbline: http:\/\/127.0.0.1:1 gives no response that can be judged: .*\n$/)
    expect(code).toBe(5)
    expect(readFileSync(join(served.cwd, 'away.yaml'), 'utf8')).toBe(text)
  })

  test('an address that is not an endpoint: a warning, the diagnosis, and exit code 3', async () => {
    const { url } = await served.serve([])
    writeFileSync(
      join(served.cwd, 'lb.yaml'),
      pods.replace('pods: https://a.test', `lb: {endpoints: {normal: ${url}}}`),
    )
    const { code, said } = await served.run(['doctor', '--fix', '--target', 'lb.yaml'])
    expect(said).toContain(`lb.yaml: lb was not seen at ${url}: GET /ping returned 404; check lb.endpoints.normal`)
    expect(said).toContain('rules are left out as unclaimed')
    expect(code).toBe(3)
  })

  test('the built-in reference has no file', async () => {
    const { code, said } = await served.run(['doctor', '--fix', '--reference'])
    expect(said).toBe('plumbline: --fix changes a target file; the built-in reference has none\n')
    expect(code).toBe(2)
  })
})

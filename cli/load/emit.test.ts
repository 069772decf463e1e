import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { runHere } from '../shared/testing/in-process.ts'

const cwd = mkdtempSync(join(tmpdir(), 'plumbline-emit-'))
const key = 'the-key-of-somebody-0815'
const environment = { API_KEY: key, INPUT_KEY: 'another-secret-4711' }
const target = (more = '') =>
  `plumbline: 1\nqueue: {url: 'http://127.0.0.1:9', endpoints: {normal: a, dedicated: b}, requests: true${more}}\nkeys: {full: '\${API_KEY}'}\n`
const requests = '--target t.yaml --only limits.queue.requests --emit k8s'

beforeAll(() => {
  writeFileSync(join(cwd, 't.yaml'), target())
  writeFileSync(join(cwd, 'secret.yaml'), target(`, input: {accessSecret: '\${INPUT_KEY}'}`))
  writeFileSync(join(cwd, 'network.yaml'), `${target()}network: {headers: {x-gateway: plumbline-example}}\n`)
})

const plumbline = (words: string) => runHere(words.split(' '), { cwd, environment })

describe('the manifests', () => {
  const files: Record<string, string> = {}
  beforeAll(async () => {
    expect(
      await plumbline(`load limits ${requests} --segments 3 --image registry/plumbline:1 --out out`),
    ).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^out: plumbline-r\w+, a load of \S+ by 3 processes of k6; apply configmap\.yaml/),
    })
    for (const name of readdirSync(join(cwd, 'out'))) files[name] = readFileSync(join(cwd, 'out', name), 'utf8')
  })

  test('are three files beside the first line of the record', () => {
    expect(Object.keys(files).sort()).toEqual(['configmap.yaml', 'evidence.ndjson', 'job.yaml', 'testrun.yaml'])
    expect(files['evidence.ndjson']?.trim().split('\n')).toHaveLength(1)
  })

  test('hold no key', () => {
    for (const text of Object.values(files)) expect(text).not.toContain(key)
  })

  test('name resources by DNS labels, and each other', () => {
    const [config, run, job] = ['configmap', 'testrun', 'job'].map((name) => parse(files[`${name}.yaml`] ?? ''))
    for (const { metadata } of [config, run, job]) expect(metadata.name).toMatch(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/)
    const { name } = config.metadata
    expect(run.spec).toMatchObject({ parallelism: 3, script: { configMap: { name, file: 'queue.ts' } } })
    const { containers, volumes } = job.spec.template.spec
    expect(volumes).toContainEqual({ name: 'emitted', configMap: { name } })
    expect(containers[0].command[2]).toContain(`mv /points/points-${name}-*.json.gz`)
    for (const image of [run.spec.runner.image, containers[0].image]) expect(image).toBe('registry/plumbline:1')
  })

  test('need no privilege', () => {
    const { runner } = parse(files['testrun.yaml'] ?? '').spec
    const { spec } = parse(files['job.yaml'] ?? '').spec.template
    for (const { securityContext } of [runner, spec]) expect(securityContext).toMatchObject({ runAsNonRoot: true })
    for (const one of [runner.containerSecurityContext, spec.containers[0].securityContext]) {
      expect(one).toEqual({ allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } })
    }
  })

  test('fit into a ConfigMap, whose scripts find each other', () => {
    expect(Buffer.byteLength(files['configmap.yaml'] ?? '')).toBeLessThan(100_000)
    const { data } = parse(files['configmap.yaml'] ?? '')
    expect(data['evidence.ndjson']).toBe(files['evidence.ndjson'])
    const imports = Object.values<string>(data).flatMap((text) => [...text.matchAll(/^import \{.* from '\.\/(.*)'/gm)])
    for (const [, name = ''] of imports) expect(Object.keys(data)).toContain(name)
  })
})

describe('one clear sentence', () => {
  test.each<[string, RegExp]>([
    [`load limits ${requests}`, /--emit writes several files; name a folder for them with --out$/m],
    [`load pods ${requests} --out o`, /--emit is for load limits; leave it out of load pods/],
    [`load limits ${requests} --format json --out o`, /--format has nothing to report with --emit/],
    ['load limits --target t.yaml --image x --out o', /--image is for --emit; add --emit k8s$/m],
    [`load limits ${requests.replace('k8s', 'k9s')} --out o`, /'k9s' is invalid. Allowed choices are k8s/],
    [
      `load limits ${requests} --only limits.queue.cancel --out o`,
      /--emit cannot submit jobs beforehand, hold requests or send a second key, which limits\.queue\.cancel would need; select others with --only: limits\.queue\.requests$/m,
    ],
    [
      'load limits --target t.yaml --only limits.queue.cancel --emit k8s --out o',
      /would need; load limits drives them from/,
    ],
    [
      `load limits ${requests.replace('t.yaml', 'network.yaml')} --out o`,
      /--emit cannot pass on network of the target/,
    ],
    [
      `load limits ${requests} --only limits.queue.purge --max-seconds 350 --out o`,
      /this load takes up to 383 s, and --max-seconds permits 350/,
    ],
    [
      'load limits --target secret.yaml --only limits.queue.run --emit k8s --out o',
      /--emit would write a secret of queue\.input into a file/,
    ],
  ])('%s', async (words, sentence) => {
    const { code, err } = await plumbline(words)
    expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(sentence) })
  })

  test('replay says which files of points are missing, and never passes without points', async () => {
    await plumbline(`load limits ${requests} --out early`)
    const early = await plumbline('replay early')
    expect(early.err).toMatch(/early has 0 files points-NAME\.json\.gz, but 2 processes of k6 share this load; copy/)
    expect(early.code).toBe(2)
    for (const n of [1, 2]) writeFileSync(join(cwd, 'early', `points-${n}.json.gz`), gzipSync(''))
    expect(await plumbline('replay early')).toMatchObject({
      code: 2,
      err: expect.stringContaining('early: no file has a request of the plan smoke; copy each whole'),
    })
  })

  test('replay refuses points that are cut off and judges the whole file later, also after it was killed', async () => {
    await plumbline(`load limits ${requests} --out cut`)
    const record = readFileSync(join(cwd, 'cut', 'evidence.ndjson'))
    const tags = { operation: 'requests', endpoint: 'first', status: '404', scenario: 'smoke_0' }
    const data = { time: '2026-01-01T00:00:00.000Z', value: 1, tags }
    const whole = gzipSync(`${JSON.stringify({ metric: 'http_req_duration', type: 'Point', data })}\n`)
    writeFileSync(join(cwd, 'cut', 'points-1.json.gz'), gzipSync(''))
    writeFileSync(join(cwd, 'cut', 'points-2.json.gz'), whole.subarray(0, -12))
    expect(await plumbline('replay cut')).toMatchObject({
      code: 2,
      err: expect.stringMatching(/cut: points-2\.json\.gz cannot be read to its end \(.*\); copy it whole/),
    })
    expect(readFileSync(join(cwd, 'cut', 'evidence.ndjson'))).toEqual(record)
    writeFileSync(join(cwd, 'cut', 'points-2.json.gz'), whole)
    for (const folder of ['divided/smoke', 'load/01-smoke']) {
      mkdirSync(join(cwd, 'cut', folder), { recursive: true })
      writeFileSync(join(cwd, 'cut', folder, 'raw-01.json.gz'), gzipSync('half'))
    }
    for (const _ of ['first', 'again']) {
      expect(await plumbline('replay cut')).toMatchObject({ code: 3, out: expect.stringContaining('404') })
    }
  })
})

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { defects } from '../../proof/catalog.ts'
import { withVariants } from '../../proof/instance.ts'
import type { RuleResult } from '../../results/types.ts'
import { createClient, harOf, journey, journeyPods } from '../../traffic/testing/client.ts'
import { createServed } from '../serve/served.ts'
import { createCommands } from '../shared/testing/commands.ts'

const url = 'http://127.0.0.1:8080'
const addresses = ['--pods', url, '--queue', url, '--management', url]
const commands = createCommands('judge')
afterAll(commands.close)

/** The HAR entries of a journey against the reference with a defect. */
async function entriesWith(id: string | null) {
  const variants = defects.filter((one) => one.id === id)
  expect(variants).toHaveLength(id === null ? 0 : 1)
  const served = createServed({
    kind: 'real',
    change: (base) => withVariants({ ...base, pods: journeyPods }, variants),
  })
  const client = createClient(url, (request) => served.fetch(request))
  await journey(client.send)
  served.close()
  return client.entries
}

async function judged(text: string, ...flags: readonly string[]) {
  writeFileSync(join(commands.cwd, 'traffic.har'), text)
  return commands.run(['judge', 'traffic.har', ...addresses, ...flags])
}

const good = await entriesWith(null)

test('the reference has no finding, and each rule says how many exchanges exercised it', async () => {
  const { code, said } = await judged(
    harOf([{ ...good[0], request: { method: 'GET', url: 'https://example.com/', headers: [] } }, ...good]),
  )
  expect(said).toContain('13 exchanges judged; ignored 1 request to other hosts and 0 requests to no operation')
  expect(said).toMatch(
    /exercised, with the number of exchanges: auth\.challenge 1, auth\.token-not-echoed 9, .*queue\.status\.order 2/,
  )
  expect(said).toMatch(
    /\d+ rules \(.*, pods \d+\) {2}unclaimed: the traffic does not exercise this rule; the reports of --out say why of each\n/,
  )
  expect([code, said]).toEqual([0, said])
})

test('a HAR may come from the standard input', async () => {
  // A writer may be slower than the command.
  expect(await commands.start(['judge', '-', ...addresses], {}, harOf(good), 1500).ended).toMatchObject({
    code: 0,
    said: expect.stringContaining('no failures: '),
  })
})

test.each([
  ['refusal-without-challenge', 'auth.challenge', 2, 'advice'],
  ['token-in-header', 'auth.token-not-echoed', 3, 'advice'],
  ['not-found-without-body', 'errors.problem.shape', 3],
  ['limits-pods-headers-on-success-ratelimit-policy-dropped', 'limits.pods.headers-on-success', 7],
  ['action-answers-another-id', 'pods.shape.id-matches', 5],
  ['stop-answers-without-started-at', 'pods.shape.required', 5],
  ['output-vanishes', 'queue.status.order', 11],
])('a HAR of the reference with %s has a finding of %s in entry %i', async (id, rule, entry, verdict = 'failed') => {
  const { code } = await judged(harOf(await entriesWith(id)), '--out', 'report', '--quiet')
  const results = JSON.parse(readFileSync(join(commands.cwd, 'report', 'results.json'), 'utf8'))
  const found = results.rules.flatMap((one: RuleResult) =>
    one.findings.slice(0, 1).map(({ exchange }) => [one.id, one.verdict, exchange]),
  )
  expect(found).toEqual([[rule, verdict, entry]])
  const exit = verdict === 'failed' ? 1 : 0
  expect(results.verdict.line).toMatch(
    exit === 1 ? /^failures: 1 must rule failed; / : /^no failures: \d+ of \d+ rules /,
  )
  expect(readFileSync(join(commands.cwd, 'report', 'report.html'), 'utf8')).not.toMatch(
    /AGENT|target's log|your target file/,
  )
  expect(code).toBe(exit)
  expect(await commands.run(['replay', 'report'])).toMatchObject({
    code: exit,
    said: expect.stringContaining('matches the record'),
  })
})

test('nothing secret of a HAR is written', async () => {
  const text = JSON.stringify({
    input: {},
    s3Config: {
      accessId: 'id-of-a-bucket',
      accessSecret: 'secret-of-a-bucket',
      bucketName: 'b',
      endpointUrl: 'https://b',
    },
  })
  const request = { method: 'POST', url: `${url}/v2/normal/run`, headers: [], postData: { text } }
  await judged(harOf([...good, { ...good[0], request }]), '--out', 'clean')
  for (const name of readdirSync(join(commands.cwd, 'clean'))) {
    const text = readFileSync(join(commands.cwd, 'clean', name), 'utf8')
    expect(text).not.toMatch(/never-issued-token|of-a-browser|plumbline-example-full|of-a-bucket/)
  }
})

test('bodies that a HAR leaves out are judged by no rule about bodies', async () => {
  const bare = good.map((entry) => ({ ...entry, response: { ...Object(entry.response), content: { size: 9 } } }))
  const { code, said } = await judged(harOf(bare))
  expect(said).toContain('rules about bodies do not judge 12 entries without them')
  expect(said).toMatch(/^ {2}\d+ rules \(.*pods \d+.*\) {2}unclaimed/m)
  expect(said).toMatch(/exercised, with the number of exchanges: auth\.challenge 1, (?!.*errors\.problem\.shape)/)
  expect(code).toBe(0)
})

test.each([
  ['chromium', '4 exchanges judged; ignored 1 request to other hosts', 'pods.shape.required 1,'],
  ['k6', '12 exchanges judged; ignored 0 requests to other hosts', 'pods.shape.required 2,'],
])('a HAR of %s, which scripts/clients/run.mjs made, is judged', async (name, judged, exercised) => {
  const file = join(import.meta.dirname, '../../traffic/testing', `${name}.har`)
  const [, served = ''] = /"url": ?"(http[^"]*)\/v2/.exec(readFileSync(file, 'utf8')) ?? []
  const { code, said } = await commands.run(['judge', file, '--pods', served, '--queue', served])
  expect(said).toContain(judged)
  expect(said).toContain(exercised)
  expect(code).toBe(0)
})

test.each([
  ['no JSON', 2, 'traffic.har is not JSON; expected a HAR, as the network panel of a browser exports it'],
  ['{}', 2, 'traffic.har has no list log.entries; expected a HAR of version 1.2'],
  [harOf([{ ...good[0], time: 'late' }]), 2, 'traffic.har is damaged: entry 1 has no time that is a number'],
  [
    harOf([]),
    3,
    'nothing was exercised: no request calls an operation of the target; ignored 0 requests to other hosts and 0 requests to no operation',
  ],
])('a HAR that cannot be judged: %.20s', async (text, code, message) => {
  expect(await judged(text)).toEqual({ code, said: `plumbline: ${message}\n` })
})

test('an address that is not one is named by its flag', async () => {
  writeFileSync(join(commands.cwd, 'empty.har'), harOf([]))
  const { code, said } = await commands.run(['judge', 'empty.har', '--lb', 'example.com'])
  const message = '--lb: expected an address that begins with http:// or https://, got "example.com"'
  expect({ code, said }).toEqual({ code: 2, said: `plumbline: ${message}\n` })
})

import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { ExchangeEvent } from '../harness/record/events.ts'
import { sampleCreation, sampleExchange } from './testing/sample.ts'
import { bash, header, linesOf, rule, serve } from './testing/shell.ts'

const base = 'http://127.0.0.1:9'

describe('the shell lines of a scenario', () => {
  describe('of jobs that report to the receiver of the run', () => {
    const job = { input: { plumbline: { v: 1, beacon: 'http://127.0.0.1:9/a' } } }
    const rerun = `plumbline check --target target.yaml --only ${rule} --profile core --seed 7`
    const said = `# the run had a receiver, without which these jobs report nothing and hold 5 s; ${rerun} shows the fault`

    it.each<[isSaid: boolean, body: object, observed: string, owner: string]>([
      [true, job, '1 request', rule],
      [true, { input: {}, webhook: 'http://127.0.0.1:9/a' }, 'status FAILED', rule],
      [true, job, 'status 2000', rule],
      [false, job, 'status 200', rule],
      [false, job, 'status IN_QUEUE', 'pods.another'],
      [false, { input: {}, webhook: 'https://receiver.invalid/a' }, '1 request', rule],
      [false, { input: {} }, '1 request', rule],
    ])('it is said (%s) that lines of %j do not show %s, found by %s', async (isSaid, body, observed, owner) => {
      const submitted = submission(owner, body)
      const lines = await linesOf(base, [submitted], 'real', observed)
      expect(lines[0] === said).toBe(isSaid)
    })
  })

  it.each(['status IN_PROGRESS', 'status 200'])(
    'say that without a receiver a worker dies each time, for %s',
    async (seen) => {
      const plan = { v: 1, beacon: `${base}/a`, steps: [{ first: [{ exit: 1 }] }, { output: 1 }] }
      const lines = await linesOf(base, [submission(rule, { input: { plumbline: plan } })], 'real', seen)
      const rerun = `plumbline check --target target.yaml --only ${rule} --profile core --seed 7`
      expect(lines.filter((line) => line.includes('receiver'))).toEqual([
        `# the run had a receiver, without which each execution of these jobs is like the first, so that a worker that died once dies each time; ${rerun} starts one and shows the fault`,
      ])
      expect(lines.join('\n')).not.toContain('"beacon"')
    },
  )

  it('leave out the beacon of a body that is printed with escapes', async () => {
    const { base, log } = await serve(() => ({ status: 200, body: { id: 'j' } }))
    const plan = { v: 1, beacon: 'http://127.0.0.1:9/a', steps: [{ hold: 'go' }] }
    const body = { input: { text: '\u202eabc', plumbline: plan } }
    await bash(await linesOf(base, [submission(rule, body, base)]))
    expect(JSON.parse(log[0]?.body.toString() ?? '')).toEqual({
      input: { text: '\u202eabc', plumbline: { v: 1, steps: [{ sleepMs: 5000 }] } },
    })
  })

  it('send another nonce each time, since workers keep their counts', async () => {
    const { base, log } = await serve(() => ({ status: 200, body: { seen: 1 } }))
    const headers = [['Plumbline-Nonce', 'plumbline-a1']] as const
    const lines = await linesOf(base, [
      sampleExchange(1, rule, { base, path: '/plumbline/echo', headers }),
      sampleExchange(2, rule, { base, path: '/plumbline/seen/plumbline-a1' }),
    ])
    await bash(lines)
    const sent = log[0] === undefined ? undefined : header(log[0], 'Plumbline-Nonce')
    expect(sent).toMatch(/^plumbline-a1-\d+$/)
    expect(log[1]?.path).toBe(`/plumbline/seen/${sent}`)
  })

  it('say that nothing is held without the receiver of the run', async () => {
    const path = '/plumbline/hold/go?beacon=http%3A%2F%2F127.0.0.1%3A9%2Fa'
    const lines = await linesOf(base, [sampleExchange(1, rule, { base, path })], 'real', 'one after the other')
    expect(lines[0]).toContain('without which no request to /plumbline/hold is held')
  })

  it('leave out the beacon of a job and let it sleep where it was held', async () => {
    const plan = { v: 1, beacon: `${base}/a`, steps: [{ hold: 'go' }, { output: { hold: 'go', beacon: 'b' } }] }
    const body = { input: { plumbline: plan } }
    const lines = await linesOf(base, [submission(rule, body)])
    const sent = { v: 1, steps: [{ sleepMs: 5000 }, plan.steps[1]] }
    expect(lines.at(-1)).toContain(`--data-binary '${JSON.stringify({ input: { plumbline: sent } })}'`)
  })

  it('send a long body byte by byte', async () => {
    const { base, log } = await serve(() => ({ status: 200, body: { id: 'j' } }))
    const body = { input: { text: "it's $HOME «é» ".repeat(100_000) } }
    await bash(await linesOf(base, [submission(rule, body, base)]))
    expect(JSON.parse(log[0]?.body.toString() ?? '')).toEqual(body)
  })

  it('say that they lack a body that is too long even when packed', async () => {
    const text = createHash('shake256', { outputLength: 60_000 }).update('seed').digest('base64')
    const look = sampleExchange(2, rule, { base, path: '/v2/e/status/p1' })
    const lines = await linesOf(base, [submission(rule, { input: { text } }), look])
    const rerun = `plumbline check --target target.yaml --only ${rule} --profile core --seed 7`
    expect(lines[0]).toBe(
      `# these lines may not show the fault: the body of request 1 is too long for them; ${rerun} sends it`,
    )
  })

  it('advance a controlled clock while the target holds a request', async () => {
    const { promise: advanced, resolve: advance } = Promise.withResolvers<void>()
    let nowMs = 0
    const { base, log } = await serve(async ({ method, path }) => {
      if (path === '/clock' && method === 'POST') {
        nowMs += 1_000
        advance()
      }
      if (path.endsWith('/runsync')) await advanced
      return { status: 200, body: { id: 'j', status: 'COMPLETED', nowMs } }
    })
    const submitted: ExchangeEvent = { ...submission(rule, { input: {} }, base), operation: 'runJobSync' }
    const lines = await linesOf(
      base,
      [{ ...submitted, request: { ...submitted.request, url: `${base}/v2/e/runsync` } }],
      'remote',
    )
    expect(await bash(lines)).toContain('"COMPLETED"')
    expect(log.some(({ path }) => path === '/clock')).toBe(true)
  })

  it('keep the submission of the job that the finding is about, however many follow', async () => {
    const made = Array.from({ length: 40 }, (_, at): ExchangeEvent => {
      const answer = { id: `j${at + 1}` }
      const creation = sampleCreation(at + 1, rule, { base, path: '/v2/e/run', body: { at }, status: 200, answer })
      return { ...creation, operation: 'runJob', endpoint: 'e', subject: null }
    })
    const lines = await linesOf(base, [...made, sampleExchange(50, rule, { base, path: '/v2/e/status/j2' })])
    expect(lines.at(-1)).toContain('"$BASE/v2/e/status/$JOB_1"')
  })

  it.each<[status: number, observed: string, curls: number, of: string]>([
    [400, 'status 400 to as-is at $', 1, 'queue.body.b'],
    [400, 'no id', 1, 'queue.body.b'],
    [200, 'status 200 to null at $.input', 1, 'queue.body.b'],
    [200, 'an id given twice', 3, 'queue.body.b'],
    [429, 'status 429', 3, 'queue.body.b'],
    [400, 'status 400', 3, 'queue.run.b'],
  ])(
    'of a submission that was answered %i, found for %s, hold %i requests (%s)',
    async (status, observed, curls, of) => {
      const submitted = (n: number, answered: number): ExchangeEvent => ({
        ...sampleCreation(n, of, { base, path: '/v2/e/run', body: { n }, status: answered }),
        operation: 'runJob',
        endpoint: 'e',
        subject: null,
      })
      const lines = await linesOf(
        base,
        [submitted(1, 200), submitted(2, 200), submitted(3, status)],
        'real',
        observed,
        of,
      )
      expect(lines.filter((line) => /^(JOB_\d=\$\()?curl/.test(line))).toHaveLength(curls)
      expect(lines.at(-1)).toContain('{"n":3}')
      expect(lines.some((line) => line.startsWith('# omitted'))).toBe(false)
    },
  )
})

function submission(owner: string, body: object, of = base): ExchangeEvent {
  return sampleCreation(1, owner, { base: of, path: '/v2/e/run', body, status: 200 })
}

import { execFile } from 'node:child_process'
import { expect, test } from 'vitest'
import { freePort } from '../../harness/testing/listening.ts'
import { latitudes } from '../../proof/catalog.ts'
import { queueWalk } from '../../proof/defects/queue-walk.ts'
import type { Variant } from '../../proof/types.ts'
import { connect } from '../serve/connect.ts'
import { walkLines } from './fuzz-report.ts'
import { fuzzTarget, walkOn } from './fuzzing.ts'
import { type OpenTarget, openInProcess, openReference, withClock } from './open-target.ts'

const timeout = 240_000

/** The reference with these variants, served over HTTP on a controlled clock. */
const serve = async (...variants: readonly Variant[]) => withClock(await connect(variants))

/** Runs the lines of a walk in a shell, on a server that has just started. */
async function pasted(walk: Parameters<typeof walkLines>[1], ...variants: readonly Variant[]): Promise<string> {
  const server = await serve(...variants)
  const listen = `127.0.0.1:${await freePort()}`
  const target = { ...server.target, receiver: { listen, url: `http://${listen}` } }
  const env = { ...process.env, KEY_FULL: target.keys.full }
  const script = [...(await walkLines(target, walk)), 'kill $RECEIVER_PID'].join('\n')
  const said = await new Promise<string>((resolve) =>
    execFile('bash', ['-c', script], { env }, (_, out, err) => resolve(out + err)),
  )
  await server.close()
  return said
}

/** For each defect a seed whose first walk finds it, and the output of the lines: only with the defect, or only without it. */
const outputs: Readonly<Record<string, readonly [number, 'only with' | 'only without', RegExp]>> = {
  'no-retry-once-cancelled': [18, 'only with', /the job was cancelled/],
  'third-retry-removes-job': [42, 'only with', /job not found/],
  'purge-copies-cancelled-jobs': [47, 'only with', /receiver: ([A-Z]) start[\s\S]*receiver: \1 start/],
  'refused-submission-after-cancel-stops-job': [41, 'only without', /"IN_PROGRESS","delay/],
  'output-of-earlier-job-after-purge': [1, 'only with', /("output":\{"letter":"[A-Z]"\})[\s\S]*\1/],
  'retry-fails-completed-jobs': [39, 'only without', /"COMPLETED","delay/],
  'expiry-takes-retried-jobs': [17, 'only with', /job not found[\s\S]*job not found/],
  'no-notification-after-cancellation': [15, 'only without', /receiver: [A-Z] webhook/],
  'end-lost-after-cancellation': [13, 'only with', /"IN_PROGRESS","delay/],
  'wrong-submission-accepted-after-failures': [138, 'only without', /HTTP\/1.1 400/],
  'second-cancel-removes-completed-job': [53, 'only with', /job not found/],
  'second-cancel-executes-job-twice': [230, 'only with', /receiver: ([A-Z]) start[\s\S]*receiver: \1 start/],
  'stream-of-retried-job-500': [53, 'only with', /HTTP\/1.1 500/],
}

/** The search takes the same steps over HTTP, but seven times as long, so one of them shows it. */
const searchedOverHttp = 'stream-of-retried-job-500'

test.each(queueWalk.map((defect) => [defect.id, defect] as const))(
  '%s is found in few steps, again over HTTP by its path and by its lines; the reference is as expected',
  // Workers of the lines take real time: on a busy machine they may be later than a line waits.
  { timeout, retry: 2 },
  async (id, defect) => {
    const [seed = 0, when, pattern = /^$/] = outputs[id] ?? []
    const [first, second] = [
      id === searchedOverHttp ? await serve(defect) : await openInProcess([defect]),
      await serve(defect),
    ]
    const found = await fuzzTarget({ open: first, seed, walks: ['queue'], goesOn: (walks) => walks < 1 })
    const [{ observed, path, walk } = { observed: null, path: '', walk: undefined }] = found.findings
    expect(walk?.calls.length).toBeLessThanOrEqual(9)
    const again = await walkOn(second, { plane: 'queue', seed, path })
    expect(again).toMatchObject({ stopped: null, seen: { observed, failure: null } })
    await Promise.all([first.close(), second.close()])
    if (walk === undefined) return
    const reference = await walkOn(await openReference(), walk)
    expect(reference).toMatchObject({ stopped: null, seen: { observed: null, failure: null } })
    const [withDefect, without] = await Promise.all([pasted(walk, defect), pasted(walk)])
    expect([pattern.test(withDefect), pattern.test(without)]).toEqual([when === 'only with', when === 'only without'])
  },
)

test.each([1, 2, 3])('no walk on the reference has a finding with seed %i', { timeout }, async (seed) => {
  const run = await fuzzTarget({ open: await openReference(), seed, walks: ['queue'], goesOn: (walks) => walks < 20 })
  expect(run).toMatchObject({ cases: 20, findings: [], stopped: null, notes: [] })
})

test.each([
  'cancelled-gone',
  'jobs-in-pairs',
  'purged-cancelled',
  'requeued-last',
  'status-lags-after-retry',
  'stream-held-25-s',
  'ttl-shown-until-swept',
  'workers-start-slowly',
])('no walk has a finding with the latitude %s', { timeout }, async (id) => {
  const open = await openInProcess(latitudes.filter((latitude) => latitude.id === id))
  const run = await fuzzTarget({ open, seed: 5, walks: ['queue'], goesOn: (walks) => walks < 10 })
  expect(run).toMatchObject({ cases: 10, findings: [], stopped: null, notes: [] })
})

test('walks on both planes are as many, and end with the same run', { timeout }, async () => {
  const requests: string[] = []
  const open = await openReference()
  const transport: OpenTarget['transport'] = (request, patience) => {
    requests.push(`${request.method} ${new URL(request.url).pathname}`)
    return open.transport(request, patience)
  }
  const run = await fuzzTarget({
    open: { ...open, transport },
    seed: 1,
    walks: ['pods', 'queue'],
    goesOn: (walks) => walks < 5,
  })
  expect(run).toMatchObject({ cases: 5, findings: [], stopped: null })
  expect(requests).toEqual(expect.arrayContaining(['POST /v2/pods', 'POST /v2/normal/run']))
})

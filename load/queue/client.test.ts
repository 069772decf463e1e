import { expect, test } from 'vitest'
import type { WireResponse } from '../../harness/exchange/exchange.ts'
import type { ResourceLine } from '../../harness/record/resources.ts'
import { referenceTarget } from '../../proof/instance.ts'
import type { QueuePlane } from '../../target/types.ts'
import { createQueueClient } from './client.ts'

const { queue, tolerances } = referenceTarget('http://127.0.0.1:9', 'real')

/** A client whose requests get these statuses in order, with the lines of its ledger and its waits, ms. */
function answered(statuses: readonly number[]) {
  const left = [...statuses]
  const lines: ResourceLine[] = []
  const waits: number[] = []
  const client = createQueueClient({
    section: queue as QueuePlane,
    tolerances,
    token: 'key',
    userAgent: 'test',
    resources: (line) => void lines.push(line),
    clock: { sleep: async (ms) => waits.push(ms) },
    transport: async () =>
      ({ status: left.shift() ?? 500, headers: [], body: Buffer.from('{"id":"job-1"}') }) as unknown as WireResponse,
  })
  return { client, lines, waits }
}

test('a job is written down as gone once its ttl and the tolerances for its beginning and its end are over', async () => {
  const { client, lines } = answered([200, 200])
  const ttlMs = 10_000
  const beforeMs = Date.now()
  expect(await client.submit('normal', ttlMs)).toBe('job-1')
  const [requested, created] = lines
  expect(created).toMatchObject({ id: 'job-1', state: 'created' })
  const endsMs = requested?.kind === 'job' ? (requested.endsMs ?? 0) : 0
  expect(endsMs - beforeMs).toBeGreaterThanOrEqual(ttlMs + tolerances.rateWaitMs + tolerances.sweepMs)
  await client.cancel('normal', 'job-1')
  expect(lines.at(-1)).toMatchObject({ id: 'job-1', state: 'removed' })
})

test('a 429 is waited out, and jobs that a purge removes are not written down', async () => {
  const { client, lines, waits } = answered([429, 429, 200])
  expect(await client.submit('dedicated', 10_000)).toBe('job-1')
  expect(waits).toEqual([1_000, 2_000])
  expect(lines).toEqual([])
})

test('a job that is never accepted leaves nothing behind', async () => {
  const { client, lines } = answered(Array.from({ length: 50 }, () => 429))
  await expect(client.submit('normal', 10_000)).rejects.toThrow('must accept a job on /run before the load')
  expect(lines.at(-1)).toMatchObject({ state: 'removed' })
})

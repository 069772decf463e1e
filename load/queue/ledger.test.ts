import { expect, test } from 'vitest'
import type { ResourceLine } from '../../harness/record/resources.ts'
import { referenceTarget } from '../../proof/instance.ts'
import { withLedger } from './ledger.ts'

test('a job is written down as gone once its ttl and the tolerances for its beginning and its end are over', async () => {
  const { tolerances } = referenceTarget('http://127.0.0.1:9', 'real')
  const lines: ResourceLine[] = []
  const sent = {
    submit: async () => 'job-1',
    status: async () => null,
    cancel: async () => 200,
    purge: async () => 200,
    health: async () => ({ status: 200, body: null }),
  }
  const ttlMs = 10_000
  const beforeMs = Date.now()
  await withLedger(sent, 'dedicated', (line) => lines.push(line), tolerances).submit('normal', ttlMs)
  const [requested, created] = lines
  expect(created).toMatchObject({ id: 'job-1', state: 'created' })
  const endsMs = requested?.kind === 'job' ? (requested.endsMs ?? 0) : 0
  expect(endsMs - beforeMs).toBeGreaterThanOrEqual(ttlMs + tolerances.rateWaitMs + tolerances.sweepMs)
})

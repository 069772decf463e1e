import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { LoadError } from '../load-error.ts'
import { readRawPoints } from './raw.ts'

const folder = mkdtempSync(join(tmpdir(), 'plumbline-raw-'))

let files = 0
function file(content: Buffer | string, name = 'raw.json.gz'): string {
  const path = join(folder, `${files++}-${name}`)
  writeFileSync(path, content)
  return path
}

const line = (metric: string, value: number, time: string, tags: Record<string, string>) =>
  `${JSON.stringify({ metric, type: 'Point', data: { time, value, tags } })}\n`

const declaration =
  '{"type":"Metric","data":{"name":"http_req_duration","type":"trend"},"metric":"http_req_duration"}\n'
const tags = { operation: 'cancel', endpoint: 'second', scenario: 'cancel_0' }
const answered = line('http_req_duration', 2.5, '2026-01-02T03:04:05.123456789Z', { ...tags, status: '200' })
const atMs = Date.UTC(2026, 0, 2, 3, 4, 5) + 123.456789

test('a line of k6 is a point: its time is the end, its value the duration', async () => {
  const { points, dropped } = await readRawPoints(
    file(
      gzipSync(
        declaration +
          line('http_req_duration', 1, '2026-01-02T04:04:06+01:00', { ...tags, status: '429', error_code: '1429' }) +
          line('http_req_waiting', 1, '2026-01-02T03:04:05Z', { ...tags, status: '200' }) +
          line('dropped_iterations', 3, '2026-01-02T03:04:05Z', {}) +
          answered,
      ),
    ),
  )
  expect(dropped).toBe(3)
  expect(points).toEqual([
    {
      operation: 'cancel',
      endpoint: 'second',
      sentMs: expect.closeTo(atMs - 2.5, 3),
      receivedMs: expect.closeTo(atMs, 3),
      status: 200,
      kind: 'answer',
    },
    expect.objectContaining({ receivedMs: Date.UTC(2026, 0, 2, 3, 4, 6), status: 429, kind: 'answer' }),
  ])
})

test.each([0, 2.5, 1e-7, 12345.678901, 8.266521, 30000])('a duration of %d ms is exact', async (value) => {
  const text = line('http_req_duration', value, '2026-01-02T03:04:05.000000001Z', { ...tags, status: '200' })
  const receivedMs = Date.UTC(2026, 0, 2, 3, 4, 5) + Number('0.000000001') * 1000
  expect((await readRawPoints(file(gzipSync(text)))).points).toMatchObject([{ receivedMs, sentMs: receivedMs - value }])
})

test.each([
  ['a refused connection', { status: '0', error_code: '1212' }, 0, 'transport'],
  ['a body that broke off', { status: '200', error_code: '1000' }, 0, 'transport'],
  ['an error of the target', { status: '503', error_code: '1503' }, 503, 'answer'],
])('%s', async (_, fate, status, kind) => {
  const text = line('http_req_duration', 0, '2026-01-02T03:04:05Z', { ...tags, ...fate })
  expect((await readRawPoints(file(gzipSync(text)))).points).toMatchObject([{ status, kind }])
})

test('answers that our scripts record with their headers take the place of k6 own lines', async () => {
  const headers = { operation: 'pods', status: '429', headers: 'recorded', retry_after: '12' }
  const text = answered + line('plumbline_answer', 4, '2026-01-02T03:04:05Z', headers)
  const { points } = await readRawPoints(file(text, 'raw.json'))
  expect(points).toMatchObject([{ operation: 'pods', status: 429, retryAfter: '12', rateLimit: null }])
})

test.each([
  ['a missing file', () => join(folder, 'missing.json.gz')],
  ['a file that was cut off', () => file(gzipSync(answered.repeat(5000)).subarray(0, 300))],
  ['an empty file', () => file('')],
  ['a line that was cut off', () => file(answered + answered.slice(0, 80), 'raw.json')],
  ['another format', () => file('no gzip at all')],
])('%s is an error that says so', async (_, path) => {
  const reading = readRawPoints(path())
  await expect(reading).rejects.toThrow(LoadError)
  await expect(reading).rejects.toThrow(/cannot be read to the end \(.+\)\. Was k6 stopped, or is the disk full\?/)
})

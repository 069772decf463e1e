import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { readMachines } from './machines.ts'

const folder = mkdtempSync(join(tmpdir(), 'plumbline-machines-'))
const startMs = Date.UTC(2026, 0, 1)
let files = 0

interface MachineOptions {
  /** Clock of the machine minus that of the target, ms. */
  readonly aheadMs?: number
  readonly count?: number
  /** The Date that the target sends at a moment of its clock, ms; null: none. */
  readonly dateOf?: (atMs: number) => number | null
}

/** Requests every 130 ms, each of which takes 10 ms and arrives in the middle. */
function machine({ aheadMs = 0, count = 50, dateOf = (atMs) => atMs }: MachineOptions): string {
  const lines = Array.from({ length: count }, (_, n) => {
    const sentMs = startMs + n * 130 + aheadMs
    const time = new Date(sentMs + 10).toISOString()
    const data = { time, value: 10, tags: { operation: 'requests', endpoint: 'first', status: '200' } }
    const dateMs = dateOf(sentMs - aheadMs + 5)
    const date = dateMs === null ? {} : { date: new Date(dateMs).toUTCString() }
    return [
      JSON.stringify({ metric: 'http_req_duration', type: 'Point', data }),
      JSON.stringify({ metric: 'plumbline_date', type: 'Point', data: { time, value: sentMs, tags: date } }),
    ]
  })
  const file = join(folder, `raw-${++files}.json.gz`)
  writeFileSync(file, gzipSync(`${lines.flat().join('\n')}\n`))
  return file
}

const movedTo = ({ points }: Awaited<ReturnType<typeof readMachines>>) =>
  [...points].map(({ sentMs, receivedMs }) => (sentMs + receivedMs) / 2 - startMs - 5)

test.each([0, 3000, -3000, 90_000_000.5, 250])(
  'a clock that is %s ms ahead is measured by the Dates',
  async (aheadMs) => {
    const found = await readMachines([machine({}), machine({ aheadMs })])
    expect(found.clockErrorMs).toBeGreaterThan(0)
    expect(found.clockErrorMs).toBeLessThan(12)
    const moments = movedTo(found)
    expect(moments).toHaveLength(100)
    for (const [n, ms] of moments.entries()) {
      expect(Math.abs(ms - Math.floor(n / 2) * 130)).toBeLessThanOrEqual(found.clockErrorMs)
    }
  },
)

test('intervals are widened by how far the clocks may be off', async () => {
  const { points, clockErrorMs } = await readMachines([machine({}), machine({ count: 3 })])
  for (const { sentMs, receivedMs } of points) expect(receivedMs - sentMs).toBeCloseTo(10 + 2 * clockErrorMs, 3)
})

test('one machine that sends all needs no Date', async () => {
  const found = await readMachines([machine({ dateOf: () => null }), machine({ count: 0 })])
  expect(found).toMatchObject({ clockErrorMs: 0, notes: [] })
  expect(movedTo(found).slice(0, 2)).toEqual([0, 130])
})

test('without Dates the clocks are unknown', async () => {
  const found = await readMachines([machine({}), machine({ dateOf: () => null })])
  expect(found.clockErrorMs).toBe(Number.POSITIVE_INFINITY)
  expect(found.notes[1]).toMatch(/^raw-\d+\.json\.gz: no response had a Date, so its clock is unknown$/)
})

test('Dates of two servers that contradict each other leave the clocks in doubt by that much', async () => {
  let n = 0
  const dateOf = (atMs: number) => atMs + (++n % 2) * 2500
  const { clockErrorMs } = await readMachines([machine({}), machine({ dateOf })])
  expect(clockErrorMs).toBeGreaterThan(1000)
})

test('a clock is told in one sentence', async () => {
  const { notes } = await readMachines([machine({}), machine({ aheadMs: 3000 })])
  expect(notes[1]).toMatch(/: its clock was (2,99\d|3,00\d) ms ahead of the target's, give or take \d+ ms$/)
})

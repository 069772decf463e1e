import { appendFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createCommands } from '../shared/testing/commands.ts'

const commands = createCommands('cut-off')
const { cwd } = commands
const file = (folder: string, name: string) => join(cwd, folder, name)
let record = Buffer.alloc(0)
let starts: number[] = []

beforeAll(async () => {
  const args = ['check', '--reference', '--seed', '1', '--only', 'pods.list.contains', '--out', 'whole']
  expect(await commands.run(args)).toMatchObject({ code: 0 })
  record = readFileSync(file('whole', 'evidence.ndjson'))
  starts = [0, ...[...record.entries()].flatMap(([at, byte]) => (byte === 0x0a ? [at + 1] : []))].slice(0, -1)
})
afterAll(commands.close)

/** A copy of the record up to a byte, with the results of its run, other ones, or none. */
function cutAt(end: number, results: 'whole' | 'interrupted' | 'none' = 'whole'): void {
  rmSync(join(cwd, 'cut'), { recursive: true, force: true })
  mkdirSync(join(cwd, 'cut'))
  writeFileSync(file('cut', 'evidence.ndjson'), record.subarray(0, end))
  if (results === 'none') return
  cpSync(file('whole', 'results.json'), file('cut', 'results.json'))
  if (results === 'interrupted') writeFileSync(file('cut', 'results.json'), '{"verdict":{"word":"interrupted"}}')
}

test('a record that was cut off is not judged, wherever its end is, and the sentence names the place', async () => {
  const [, second = 0] = starts
  const last = starts.at(-1) ?? 0
  const places = [second - 1, second, second + 1, last - 1, last, last + 5, record.length - 2]
  for (const place of [...places, ...starts.filter((_, n) => n > 1 && n % 5 === 0)]) {
    cutAt(place)
    const { code, said } = await commands.run(['replay', 'cut'])
    const lines = starts.filter((start) => start > 0 && start <= place).length
    const where = starts.includes(place)
      ? `ends after line ${lines}, without an event of type end`
      : `breaks off in line ${lines + 1}`
    expect([place, code, said]).toEqual([
      place,
      4,
      `plumbline: ${file('cut', 'evidence.ndjson')} ${where}, but results.json beside it is of a run that ended: the record was cut off later and is not judged again; copy it once more from where it was made\n`,
    ])
  }
})

test.each([0, 1, 100])('a record of %i bytes has nothing to judge', async (end) => {
  cutAt(end)
  const message = `plumbline: ${file('cut', 'evidence.ndjson')} is empty or breaks off in line 1, so nothing can be judged; copy it whole, or run check again\n`
  expect(await commands.run(['replay', 'cut'])).toEqual({ code: 2, said: message })
})

test('without results beside it, or with those of an interrupted run, the run counts as interrupted', async () => {
  cutAt(starts.at(-1) ?? 0, 'none')
  const killed = await commands.run(['replay', 'cut', '--out', 'again'])
  expect(killed).toMatchObject({
    code: 130,
    said: expect.stringContaining('the run was killed, or the file was cut off'),
  })
  expect(JSON.parse(readFileSync(file('again', 'results.json'), 'utf8')).verdict.word).toBe('interrupted')
  cutAt(starts.at(-1) ?? 0, 'interrupted')
  const interrupted = await commands.run(['replay', 'cut'])
  expect(interrupted).toMatchObject({ code: 130, said: expect.stringContaining('because its run was interrupted') })
  const kept = readFileSync(file('cut', 'results.json'), 'utf8')
  expect(await commands.run(['replay', 'cut', '--out', 'cut'])).toMatchObject({ code: 2 })
  expect(readFileSync(file('cut', 'results.json'), 'utf8')).toBe(kept)
})

test('a record that lacks only its last line end is whole, and a half line after its end is damage', async () => {
  cutAt(record.length - 1)
  expect(await commands.run(['replay', 'cut'])).toMatchObject({ code: 0 })
  cutAt(record.length)
  appendFileSync(file('cut', 'evidence.ndjson'), '{"type":"clo\n')
  expect(await commands.run(['replay', 'cut'])).toMatchObject({ code: 2, said: expect.stringContaining('is damaged') })
})

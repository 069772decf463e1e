import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Exchange } from '../exchange/exchange.ts'
import { exchangeWith } from '../testing/exchange.ts'
import type { EvidenceEvent, ExchangeEvent } from './events.ts'
import { readEvidence, toExchange } from './read.ts'
import { createFileRecorder, inlineBodyBytes } from './recorder.ts'
import { createRedactor } from './redact.ts'

const secret = 'sk-"odd"/secret+1'
const redactor = createRedactor({ 'key.full': secret })

function exchange(body: Uint8Array, answer: Uint8Array): Exchange {
  return exchangeWith({
    operation: 'createPod',
    request: { method: 'POST', url: 'http://x/v2/pods', headers: [['Authorization', `Bearer ${secret}`]], body },
    response: { headers: [['X-Echo', secret]], body: answer },
  })
}

async function recorded(entry: Exchange): Promise<{ back: Exchange; event: ExchangeEvent; file: string; dir: string }> {
  const dir = mkdtempSync(join(tmpdir(), 'plumbline-record-'))
  const recorder = createFileRecorder(dir, redactor)
  recorder.exchange(entry)
  recorder.flush()
  const events: EvidenceEvent[] = []
  for await (const event of readEvidence(dir)) events.push(event)
  const first = events[0]
  if (first?.type !== 'exchange') throw new Error('no exchange in the record')
  return { back: toExchange(dir, first), event: first, file: readFileSync(join(dir, 'evidence.ndjson'), 'utf8'), dir }
}

describe('what is recorded comes back byte for byte', () => {
  const bytes = (text: string) => new TextEncoder().encode(text)
  test.each<[string, Uint8Array]>([
    ['text', bytes('{"a": "ü"}')],
    ['no bytes', bytes('')],
    ['bytes that are no UTF-8', Uint8Array.from([0x7b, 0xff, 0xfe, 0x00])],
    ['a byte order mark', Uint8Array.from([0xef, 0xbb, 0xbf, 0x7b, 0x7d])],
    ['lone surrogates as JSON writes them', bytes('"\\ud800"')],
    ['a large body', new Uint8Array(inlineBodyBytes + 1).fill(0x61)],
  ])('%s', async (_, body) => {
    const { back } = await recorded(exchange(body, body))
    expect(Buffer.from(back.request.body ?? []).equals(body)).toBe(true)
    expect(Buffer.from(back.response?.body ?? []).equals(body)).toBe(true)
  })
})

describe('no secret is written', () => {
  test.each<[string, string]>([
    ['as it is', secret],
    ['as JSON writes it', JSON.stringify({ token: secret })],
    ['as a URL carries it', encodeURIComponent(secret)],
    ['in a large body', `${'x'.repeat(inlineBodyBytes)}${secret}`],
  ])('%s', async (_, text) => {
    const { file, dir, back } = await recorded(exchange(new TextEncoder().encode(text), new Uint8Array()))
    const body = Buffer.from(back.request.body ?? []).toString('utf8')
    for (const place of [file, body]) {
      for (const form of [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)])
        expect(place).not.toContain(form)
    }
    expect(body).toContain('«key.full»')
    expect(dir).toBeTruthy()
  })
})

test('a record that was copied without its bodies is refused', async () => {
  const large = new TextEncoder().encode('x'.repeat(inlineBodyBytes + 1))
  const { dir, event } = await recorded(exchange(large, new Uint8Array()))
  rmSync(join(dir, 'bodies'), { recursive: true })
  expect(() => toExchange(dir, event)).toThrow('bodies/000001.bin is missing; the record is damaged')
})

test('a damaged record is refused with its place, and half a last line is left out', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'plumbline-record-'))
  const recorder = createFileRecorder(dir, redactor)
  recorder.exchange(exchange(new Uint8Array(), new Uint8Array()))
  recorder.flush()
  const { appendFileSync } = await import('node:fs')
  const read = async () => {
    const events: string[] = []
    for await (const { type } of readEvidence(dir)) events.push(type)
    return events
  }
  appendFileSync(join(dir, 'evidence.ndjson'), '{"type": "verd')
  expect(await read()).toEqual(['exchange'])
  appendFileSync(join(dir, 'evidence.ndjson'), '\n')
  await expect(read()).rejects.toThrow(/evidence\.ndjson:2 is not an event/)
})

describe('no secret is written as base64', () => {
  test.each([0, 1, 2, 3])('after %d other bytes', async (before) => {
    const hidden = Buffer.from(`${'x'.repeat(before)}${secret} and more`).toString('base64')
    const { file } = await recorded(exchange(new TextEncoder().encode(`{"t":"${hidden}"}`), new Uint8Array()))
    expect(file).toContain('«key.full»')
    expect(file).not.toContain(hidden)
  })
})

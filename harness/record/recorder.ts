import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Exchange, type HeaderPairs, textOf } from '../exchange/exchange.ts'
import type { Arrival } from '../receiver/types.ts'
import type { EvidenceEvent, RecordedBody } from './events.ts'
import type { Redactor } from './redact.ts'

/** Larger bodies get their own files, bytes. */
export const inlineBodyBytes = 64 * 1024

/** Takes the events of a run. Only a small buffer stays in memory. */
export interface Recorder {
  event(event: Exclude<EvidenceEvent, { type: 'exchange' | 'arrival' }>): void
  exchange(exchange: Exchange): void
  arrival(arrival: Arrival): void
  /** A text without secrets. */
  clean(text: string): string
  flush(): void
}

/** A recorder that keeps nothing: for the proof, where verdicts are all that matters. */
export const noRecorder: Recorder = { event() {}, exchange() {}, arrival() {}, clean: (text) => text, flush() {} }

/** Writes `evidence.ndjson` and `bodies/` into `dir`, secrets as marks. */
export function createFileRecorder(dir: string, redactor: Redactor): Recorder {
  mkdirSync(dir, { recursive: true })
  const file = join(dir, 'evidence.ndjson')
  writeFileSync(file, '')
  let buffer: string[] = []
  let size = 0
  let bodies = 0
  /** Bodies without secrets: searched as a whole, and once. */
  const clean = new WeakSet<object>()

  function write(event: EvidenceEvent): void {
    const json = JSON.stringify(event, function (this: object, _, value: unknown) {
      return typeof value === 'string' && !clean.has(this) ? redactor.text(value) : value
    })
    // Many readers, including Node's, also end a line at these two.
    const line = `${json.replace(/[\u2028\u2029]/g, (end) => (end === '\u2028' ? '\\u2028' : '\\u2029'))}\n`
    buffer.push(line)
    size += line.length
    // A verdict is written at once, so that ending a run early keeps what is known.
    if (size > 256 * 1024 || event.type === 'verdict' || event.type === 'run') flush()
  }

  function flush(): void {
    if (buffer.length > 0) appendFileSync(file, buffer.join(''))
    buffer = []
    size = 0
  }

  function body(raw: Uint8Array): NonNullable<RecordedBody> {
    const bytes = redactor.bytes(raw)
    if (bytes.length > inlineBodyBytes) {
      const name = `bodies/${String(++bodies).padStart(6, '0')}.bin`
      mkdirSync(join(dir, 'bodies'), { recursive: true })
      writeFileSync(join(dir, name), bytes)
      return { file: name }
    }
    const text = textOf(bytes)
    return text === null || text.startsWith('\uFEFF') || bytes[0] === 0xef
      ? { base64: Buffer.from(bytes).toString('base64') }
      : { text }
  }

  function message<Message extends { readonly headers: HeaderPairs; readonly body: Uint8Array | null }>(one: Message) {
    const shown = one.body === null ? null : body(one.body)
    if (shown !== null) clean.add(shown)
    return { ...one, body: shown }
  }

  return {
    event: write,
    exchange(exchange) {
      const { request, response } = exchange
      const shown = response === null ? null : message(response)
      write({ type: 'exchange', ...exchange, request: message(request), response: shown })
    },
    arrival: (arrival) => write({ type: 'arrival', ...arrival, request: message(arrival.request) }),
    clean: redactor.text,
    flush,
  }
}

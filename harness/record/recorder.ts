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

  function write(event: EvidenceEvent): void {
    const json = JSON.stringify(event, (_, value) => (typeof value === 'string' ? redactor.text(value) : value))
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

  function body(raw: Uint8Array | null): RecordedBody {
    if (raw === null) return null
    const clean = redactor.bytes(raw)
    if (clean.length > inlineBodyBytes) {
      const name = `bodies/${String(++bodies).padStart(6, '0')}.bin`
      mkdirSync(join(dir, 'bodies'), { recursive: true })
      writeFileSync(join(dir, name), clean)
      return { file: name }
    }
    const text = textOf(clean)
    return text === null || text.startsWith('\uFEFF') || clean[0] === 0xef
      ? { base64: Buffer.from(clean).toString('base64') }
      : { text }
  }

  function message<Message extends { readonly headers: HeaderPairs; readonly body: Uint8Array | null }>(one: Message) {
    const headers = one.headers.map(([name, value]) => [name, redactor.text(value)] as const)
    return { ...one, headers, body: body(one.body) }
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

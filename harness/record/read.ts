import { createReadStream, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Exchange } from '../exchange/exchange.ts'
import type { Arrival } from '../receiver/types.ts'
import {
  type ArrivalEvent,
  type EvidenceEvent,
  type ExchangeEvent,
  evidenceFormat,
  type RecordedBody,
} from './events.ts'

/** The input is not a record, is damaged, or has another format. */
export class InvalidRecord extends Error {
  override readonly name = 'InvalidRecord'
}

/**
 * The events of a record in order, one at a time. Throws one sentence if a line is not an event or the format differs.
 */
export async function* readEvidence(dir: string): AsyncGenerator<EvidenceEvent> {
  const file = join(dir, 'evidence.ndjson')
  let number = 0
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    number++
    if (line === '') continue
    const event = parse(line, `${file}:${number}`)
    if (event.type === 'run' && event.format !== evidenceFormat) {
      throw new InvalidRecord(`${file} has format ${event.format}; this version reads format ${evidenceFormat}`)
    }
    yield event
  }
}

/** A recorded exchange with its bodies as bytes. */
export function toExchange(dir: string, event: ExchangeEvent): Exchange {
  const { type: _, ...exchange } = event
  return {
    ...exchange,
    request: { ...event.request, body: toBytes(dir, event.request.body) },
    response:
      event.response === null
        ? null
        : { ...event.response, body: toBytes(dir, event.response.body) ?? new Uint8Array() },
  }
}

/** A recorded arrival with its body as bytes. */
export function toArrival(dir: string, event: ArrivalEvent): Arrival {
  const { type: _, ...arrival } = event
  return { ...arrival, request: { ...event.request, body: toBytes(dir, event.request.body) } }
}

function toBytes(dir: string, body: RecordedBody): Uint8Array | null {
  if (body === null) return null
  if ('text' in body) return new TextEncoder().encode(body.text)
  if ('base64' in body) return Buffer.from(body.base64, 'base64')
  if (!/^bodies\/\d+\.bin$/.test(body.file))
    throw new InvalidRecord(`${dir}: a body points outside the record (${body.file})`)
  return readFileSync(join(dir, body.file))
}

function parse(line: string, place: string): EvidenceEvent {
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value === 'object' && value !== null && 'type' in value) return value as EvidenceEvent
  } catch {}
  throw new InvalidRecord(`${place} is not a line of evidence; the record is damaged or was cut short`)
}

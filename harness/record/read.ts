import { createReadStream, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defaultNetwork } from '../../target/defaults.ts'
import type { Target } from '../../target/types.ts'
import { type Exchange, jsonIn } from '../exchange/exchange.ts'
import { membersOf } from '../exchange/read.ts'
import type { Arrival } from '../receiver/types.ts'
import {
  type ArrivalEvent,
  type EvidenceEvent,
  type ExchangeEvent,
  evidenceFormat,
  type RecordedBody,
  type RunEvent,
} from './events.ts'

/** The input is not a record, is damaged, or has another format. */
export class InvalidRecord extends Error {
  override readonly name = 'InvalidRecord'
}

/** Checks an event of a record and its place, file and line. Throws InvalidRecord. */
export type CheckLine = (event: unknown, place: string) => void

/**
 * The events of a record in order, one at a time. An incomplete last line, as a killed run leaves, is skipped. Throws one
 * sentence if another line is not an event or the format differs.
 */
export async function* readEvidence(dir: string, check?: CheckLine): AsyncGenerator<EvidenceEvent> {
  const file = join(dir, 'evidence.ndjson')
  const place = (number: number) => `${file}:${number}`
  let rest = ''
  let number = 0
  for await (const chunk of createReadStream(file, 'utf8')) {
    const lines = `${rest}${chunk}`.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      number++
      if (line.trim() !== '') yield parse(line, place(number), check)
    }
  }
  if (jsonIn(rest) !== undefined) yield parse(rest, place(number + 1), check)
}

/** The target of a run as its record describes it. Records of earlier versions have no network. */
export function toTarget({ target }: RunEvent): Target {
  return { network: defaultNetwork, ...(target as Omit<Target, 'network'>) }
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
  const file = join(dir, body.file)
  if (!existsSync(file))
    throw new InvalidRecord(`${file} is missing; the record is damaged, or was copied without its folder bodies`)
  return readFileSync(file)
}

function parse(line: string, place: string, check: CheckLine = () => {}): EvidenceEvent {
  const event = membersOf(jsonIn(line)) as EvidenceEvent | null
  if (event === null || !('type' in event)) throw new InvalidRecord(`${place} is not an event; the record is damaged`)
  if (event.type === 'run' && event.format !== evidenceFormat)
    throw new InvalidRecord(`${place} has format ${event.format}; this version reads format ${evidenceFormat}`)
  check(event, place)
  return event
}

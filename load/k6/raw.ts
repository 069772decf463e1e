import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { memoizeTexts } from '../../harness/common/memoize.ts'
import { LoadError } from '../load-error.ts'
import { createPointCollector, type Fate, type PointCollector } from '../point-columns.ts'
import type { Points } from '../points.ts'
import { ANSWER, DATE_HEAD, DROPPED, eachLine, isAt, REQUEST } from './lines.ts'

/** Between the head of a line and its moment, and between its other members. */
const [TIME, VALUE, TAGS] = ['"time":"', '","value":', ',"tags":'].map((text) => Buffer.from(text)) as [
  Buffer,
  Buffer,
  Buffer,
]
/** A date and time without its fraction, such as 2026-01-02T03:04:05. */
const SECOND_BYTES = 19
const DATE = Buffer.from(DATE_HEAD)
/** Larger chunks of a file are read faster. */
const CHUNK_BYTES = 2 ** 18
/** Different tags of requests that are kept parsed. */
const MAX_FATES = 1000
const MAX_RECENT = 8
const [QUOTE, COMMA, POINT, ZERO, BRACE] = Buffer.from('",.0}') as unknown as [number, number, number, number, number]
/** Powers of ten, exactly. A number of this many digits is exact, too. */
const POWERS = Array.from({ length: 16 }, (_, n) => Number(`1e${n}`))

interface RawLine {
  readonly data: { readonly time: string; readonly value: number; readonly tags: Readonly<Record<string, string>> }
}

/**
 * Reads what k6 wrote with `--out json=FILE.json.gz`, line by line, as points in order of sending. A line's time is
 * that of the end of a request, its value how long it took. `dropped` counts the requests that k6 left out because it had
 * nobody to send them. `takeDate` gets each line of a response with a Date.
 * @throws LoadError if the file is missing, cut off, or holds something else.
 */
export async function readRawPoints(
  file: string,
  takeDate: (line: string) => void = () => {},
): Promise<{ points: Points; dropped: number }> {
  const requests = createPointCollector()
  const answers = createPointCollector()
  const [addRequest, addAnswer] = [createLineReader(REQUEST, requests), createLineReader(ANSWER, answers)]
  let dropped = 0
  let answered = 0
  const read = (text: AsyncIterable<Buffer>) =>
    eachLine(text, (bytes, start, end) => {
      // Answers take the place of requests.
      if (answered === 0 && isAt(bytes, start, REQUEST)) addRequest(bytes, start, end)
      else if (isAt(bytes, start, ANSWER)) answered = addAnswer(bytes, start, end)
      else if (isAt(bytes, start, DROPPED)) dropped += lineIn(bytes, start, end).value
      else if (isAt(bytes, start, DATE)) takeDate(bytes.toString('utf8', start, end))
    })
  try {
    const source = createReadStream(file)
    await (file.endsWith('.gz')
      ? pipeline(source, createGunzip({ chunkSize: CHUNK_BYTES }), freeRead, read)
      : pipeline(source, read))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new LoadError(
      `Expected the raw points of k6 in ${file}, but they cannot be read to the end (${reason}). Was k6 stopped, or is the disk full? Run the load again.`,
    )
  }
  return { points: (answered > 0 ? answers : requests).done(), dropped }
}

/** Frees each chunk of a text once it is read, and not when garbage is collected: that would be tens of MB later. */
async function* freeRead(text: AsyncIterable<Buffer<ArrayBuffer>>): AsyncGenerator<Buffer> {
  for await (const chunk of text) {
    yield chunk
    const { buffer, byteOffset, length } = chunk
    // A shorter chunk shares its memory with the next one.
    if (buffer.byteLength === CHUNK_BYTES && byteOffset + length === CHUNK_BYTES) buffer.transfer(0)
  }
}

/** Adds a line to a collector and returns the number of points in it. */
type AddLine = (bytes: Buffer, start: number, end: number) => number

/**
 * Adds lines without making an object of each, unless k6 wrote one in any other way than
 * `…"time":"2026-01-02T03:04:05.123Z","value":2.5,"tags":{…}}}`, with any fraction and zone.
 */
function createLineReader(head: Buffer, to: PointCollector): AddLine {
  const fateOfText = memoizeTexts((tags) => fateIn(JSON.parse(Buffer.from(tags, 'latin1').toString())), MAX_FATES)
  const recent: { readonly tags: Buffer; readonly fate: Fate }[] = []
  // Most lines have the tags of one of the last few, and making a text of them takes longest.
  const fateOf = (bytes: Buffer, start: number, end: number): Fate => {
    for (const { tags, fate } of recent) if (tags.length === end - start && isAt(bytes, start, tags)) return fate
    const tags = Buffer.from(bytes.subarray(start, end))
    const fate = fateOfText(tags.toString('latin1'))
    recent.unshift({ tags, fate })
    recent.splice(MAX_RECENT)
    return fate
  }
  let current: { readonly second: Buffer; readonly zone: Buffer; readonly ms: number } = {
    second: head,
    zone: head,
    ms: Number.NaN,
  }
  const addAny: AddLine = (bytes, start, end) => {
    const { time, value, tags } = lineIn(bytes, start, end)
    const [, second = '', fraction = '', zone = ''] = /^([^.Z+]+)(\.\d+)?(.*)$/.exec(time) ?? []
    const receivedMs = wholeMs(second, zone) + Number(`0${fraction}`) * 1000
    return to.add(fateIn(tags), receivedMs - value, receivedMs)
  }
  return (bytes, start, end) => {
    const timeAt = start + head.length
    const secondAt = timeAt + TIME.length
    const fractionAt = secondAt + SECOND_BYTES
    const quoteAt = placeOf(QUOTE, bytes, fractionAt, end)
    const zoneAt = endOfDecimal(bytes, fractionAt, quoteAt)
    const valueAt = quoteAt + VALUE.length
    const commaAt = placeOf(COMMA, bytes, valueAt, end)
    const value = decimalIn(bytes, valueAt, commaAt)
    const fraction = decimalIn(bytes, fractionAt, zoneAt)
    const isUsual =
      isAt(bytes, timeAt, TIME) &&
      isAt(bytes, quoteAt, VALUE) &&
      isAt(bytes, commaAt, TAGS) &&
      bytes[end - 1] === BRACE &&
      bytes[end - 2] === BRACE
    if (!isUsual || Number.isNaN(value + fraction)) return addAny(bytes, start, end)
    const { second, zone } = current
    if (!isAt(bytes, secondAt, second) || !isAt(bytes, zoneAt, zone) || zone.length !== quoteAt - zoneAt) {
      const [second, zone] = [bytes.subarray(secondAt, fractionAt), bytes.subarray(zoneAt, quoteAt)].map((part) =>
        Buffer.from(part),
      ) as [Buffer, Buffer]
      current = { second, zone, ms: wholeMs(second.toString(), zone.toString()) }
    }
    const receivedMs = current.ms + fraction * 1000
    return to.add(fateOf(bytes, commaAt + TAGS.length, end - 2), receivedMs - value, receivedMs)
  }
}

function lineIn(bytes: Buffer, start: number, end: number): RawLine['data'] {
  return (JSON.parse(bytes.toString('utf8', start, end)) as RawLine).data
}

/** The place of the next such byte; `end` if there is none. */
function placeOf(byte: number, bytes: Buffer, start: number, end: number): number {
  let place = start
  while (place < end && bytes[place] !== byte) place++
  return place
}

function endOfDecimal(bytes: Buffer, start: number, end: number): number {
  let place = start
  while (place < end && (isDigit(bytes[place]) || bytes[place] === POINT)) place++
  return place
}

function isDigit(byte = 0): boolean {
  return byte >= ZERO && byte <= ZERO + 9
}

/** Digits with or without a point, as the number that `Number` makes of them; NaN for anything else, or too many digits. */
function decimalIn(bytes: Buffer, start: number, end: number): number {
  let digits = 0
  let pointAt = end - 1
  for (let place = start; place < end; place++) {
    if (isDigit(bytes[place])) digits = digits * 10 + (bytes[place] ?? 0) - ZERO
    else if (bytes[place] === POINT && pointAt === end - 1) pointAt = place
    else return Number.NaN
  }
  return end - start < POWERS.length ? digits / (POWERS[end - 1 - pointAt] ?? Number.NaN) : Number.NaN
}

/** All of a point but its moments. */
function fateIn(tags: RawLine['data']['tags']): Fate {
  const status = Number(tags.status ?? 0)
  // k6 numbers a response's own error status 1400 to 1599; any other error means that no complete response came.
  const error = Number(tags.error_code ?? 0)
  const isAnswer = status > 0 && (error === 0 || (error >= 1400 && error < 1600))
  return {
    operation: tags.operation ?? '',
    endpoint: tags.endpoint ?? 'first',
    status: isAnswer ? status : 0,
    kind: isAnswer ? 'answer' : 'transport',
    ...(tags.unfinished !== undefined && { unfinished: Number(tags.unfinished) }),
    ...(tags.headers === 'recorded' && {
      retryAfter: tags.retry_after ?? null,
      rateLimit: tags.ratelimit ?? null,
      rateLimitPolicy: tags.ratelimit_policy ?? null,
      contentType: tags.content_type ?? null,
      body: tags.body ?? null,
      ...(tags.pod_status !== undefined && { podStatus: tags.pod_status }),
    }),
  }
}

/** A date and time without its fraction, as milliseconds. */
function wholeMs(second: string, zone: string): number {
  const ms = Date.parse(second + zone)
  if (Number.isNaN(ms)) throw new Error(`${second}${zone} is not a time`)
  return ms
}

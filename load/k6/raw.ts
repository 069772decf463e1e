import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { memoizeTexts } from '../../harness/common/memoize.ts'
import { LoadError } from '../load-error.ts'
import { createPointCollector, type Fate, type PointCollector } from '../point-columns.ts'
import type { Points } from '../points.ts'

/** The two measures that become points: k6's own of each request, and the one of our scripts that carries headers. */
const REQUEST = '{"metric":"http_req_duration","type":"Point"'
const ANSWER = '{"metric":"plumbline_answer","type":"Point"'
const DROPPED = '{"metric":"dropped_iterations","type":"Point"'

const HEAD = Buffer.from(`${REQUEST},"data":{"time":"`)
/** A date and time without its fraction, such as 2026-01-02T03:04:05. */
const SECOND_BYTES = 19
/** Larger chunks of a file are read faster. */
const CHUNK_BYTES = 2 ** 18
/** Different tags of requests that are kept parsed. */
const MAX_FATES = 1000
const NEWLINE = 10

interface RawLine {
  readonly data: { readonly time: string; readonly value: number; readonly tags: Readonly<Record<string, string>> }
}

/**
 * Reads what k6 wrote with `--out json=FILE.json.gz`, line by line, as points in order of sending. A line's time is
 * that of the end of a request, its value how long it took. `dropped` counts the requests that k6 left out because it had
 * nobody to send them.
 * @throws LoadError if the file is missing, cut off, or holds something else.
 */
export async function readRawPoints(file: string): Promise<{ points: Points; dropped: number }> {
  const requests = createPointCollector()
  const answers = createPointCollector()
  const addRequest = createRequestReader(requests)
  let dropped = 0
  let answered = 0
  const read = async (text: AsyncIterable<Buffer>) => {
    for await (const bytes of wholeLines(text)) {
      for (let start = 0; start < bytes.length; ) {
        const newline = bytes.indexOf(NEWLINE, start)
        const end = newline === -1 ? bytes.length : newline
        if (!addRequest(bytes, start, end)) {
          const line = bytes.toString('utf8', start, end)
          if (line.startsWith(REQUEST)) addLine(line, requests)
          else if (line.startsWith(ANSWER)) answered = addLine(line, answers)
          else if (line.startsWith(DROPPED)) dropped += (JSON.parse(line) as RawLine).data.value
        }
        start = end + 1
      }
    }
  }
  try {
    const source = createReadStream(file)
    await (file.endsWith('.gz')
      ? pipeline(source, createGunzip({ chunkSize: CHUNK_BYTES }), read)
      : pipeline(source, read))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new LoadError(
      `Expected the raw points of k6 in ${file}, but they cannot be read to the end (${reason}). Was k6 stopped, or is the disk full? Run the load again.`,
    )
  }
  return { points: (answered > 0 ? answers : requests).done(), dropped }
}

/** Chunks of a text that end with a line. Not by `readline`, which leaves out the failure of what it reads. */
export async function* wholeLines(text: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of text) {
    const end = chunk.lastIndexOf(NEWLINE) + 1
    if (end > 0) yield Buffer.concat([rest, chunk.subarray(0, end)])
    rest = end > 0 ? chunk.subarray(end) : Buffer.concat([rest, chunk])
  }
  yield rest
}

/**
 * Adds a request without making an object of its line; false if k6 wrote that in any other way than
 * `…"time":"2026-01-02T03:04:05.123Z","value":2.5,"tags":{…}}}`, with any fraction and zone.
 */
function createRequestReader(to: PointCollector): (bytes: Buffer, start: number, end: number) => boolean {
  const fateOf = memoizeTexts((tags) => fateIn(JSON.parse(Buffer.from(tags, 'latin1').toString())), MAX_FATES)
  let current = { text: Buffer.alloc(SECOND_BYTES), zone: '', ms: Number.NaN }
  return (bytes, start, end) => {
    const secondAt = start + HEAD.length
    const fractionAt = secondAt + SECOND_BYTES
    if (end < fractionAt || HEAD.compare(bytes, start, secondAt) !== 0) return false
    const rest = bytes.toString('latin1', fractionAt, end)
    const valueAt = rest.indexOf('","value":')
    const tagsAt = rest.indexOf(',"tags":{', valueAt)
    if (valueAt === -1 || tagsAt === -1 || !rest.endsWith('}}')) return false
    let zoneAt = 0
    if (rest.charCodeAt(0) === 46) for (zoneAt = 1; isDigit(rest.charCodeAt(zoneAt)); zoneAt++);
    const zone = rest.slice(zoneAt, valueAt)
    if (zone !== current.zone || current.text.compare(bytes, secondAt, fractionAt) !== 0) {
      const text = Buffer.from(bytes.subarray(secondAt, fractionAt))
      current = { text, zone, ms: wholeMs(text.toString(), zone) }
    }
    const receivedMs = current.ms + fractionMs(rest.slice(1, zoneAt))
    const value = Number(rest.slice(valueAt + 10, tagsAt))
    if (Number.isNaN(value)) return false
    to.add(fateOf(rest.slice(tagsAt + 8, -2)), receivedMs - value, receivedMs)
    return true
  }
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

function addLine(line: string, to: PointCollector): number {
  const { time, value, tags } = (JSON.parse(line) as RawLine).data
  const [, second = '', fraction, zone = ''] = /^([^.Z+]+)(?:\.(\d+))?(.*)$/.exec(time) ?? []
  const receivedMs = wholeMs(second, zone) + fractionMs(fraction)
  return to.add(fateIn(tags), receivedMs - value, receivedMs)
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
    ...(tags.resident !== undefined && { resident: Number(tags.resident) }),
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

/** The digits after the second, as milliseconds with a fraction. */
function fractionMs(digits = ''): number {
  return Number(`0.${digits || 0}`) * 1000
}

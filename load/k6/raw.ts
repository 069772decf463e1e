import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { LoadError } from '../load-error.ts'
import type { Point } from '../points.ts'

/** The two measures that become points: k6's own of each request, and the one of our scripts that carries headers. */
const REQUEST = '{"metric":"http_req_duration","type":"Point"'
const ANSWER = '{"metric":"plumbline_answer","type":"Point"'
const DROPPED = '{"metric":"dropped_iterations","type":"Point"'

interface RawLine {
  readonly data: { readonly time: string; readonly value: number; readonly tags: Readonly<Record<string, string>> }
}

/**
 * Reads what k6 wrote with `--out json=FILE.json.gz`, line by line, as points in order of sending. A line's time is
 * that of the end of a request, its value how long it took. `dropped` counts the requests that k6 left out because it had
 * nobody to send them.
 * @throws LoadError if the file is missing, cut off, or holds something else.
 */
export async function readRawPoints(file: string) {
  const requests: Point[] = []
  const answers: Point[] = []
  let dropped = 0
  const read = async (text: AsyncIterable<Buffer>) => {
    for await (const line of linesOf(text)) {
      if (line.startsWith(REQUEST)) requests.push(pointOf(line))
      else if (line.startsWith(ANSWER)) answers.push(pointOf(line))
      else if (line.startsWith(DROPPED)) dropped += (JSON.parse(line) as RawLine).data.value
    }
  }
  try {
    const source = createReadStream(file)
    await (file.endsWith('.gz') ? pipeline(source, createGunzip(), read) : pipeline(source, read))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new LoadError(
      `Expected the raw points of k6 in ${file}, but they cannot be read to the end (${reason}). Was k6 stopped, or is the disk full? Run the load again.`,
    )
  }
  const points = answers.length > 0 ? answers : requests
  return { points: points.sort((a, b) => a.sentMs - b.sentMs), dropped }
}

/** Lines of a text. Not by `readline`, which leaves out the failure of what it reads. */
async function* linesOf(text: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of text) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  yield rest
}

function pointOf(line: string): Point {
  const { time, value, tags } = (JSON.parse(line) as RawLine).data
  const receivedMs = momentOf(time)
  const status = Number(tags.status ?? 0)
  // k6 numbers a response's own error status 1400 to 1599; any other error means that no complete response came.
  const error = Number(tags.error_code ?? 0)
  const isAnswer = status > 0 && (error === 0 || (error >= 1400 && error < 1600))
  return {
    operation: tags.operation ?? '',
    endpoint: tags.endpoint ?? 'first',
    sentMs: receivedMs - value,
    receivedMs,
    status: isAnswer ? status : 0,
    kind: isAnswer ? 'answer' : 'transport',
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

/** RFC 3339 with up to nine digits after the second, as milliseconds with a fraction. */
function momentOf(time: string): number {
  const [, second = '', fraction = '', zone = ''] = /^([^.Z+]+)(?:\.(\d+))?(.*)$/.exec(time) ?? []
  const wholeMs = Date.parse(second + zone)
  if (Number.isNaN(wholeMs)) throw new Error(`${time} is not a time`)
  return wholeMs + Number(`0.${fraction || 0}`) * 1000
}

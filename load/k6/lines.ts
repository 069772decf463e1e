/** Beginnings of the lines that are read: k6's own of each request, that of our scripts with headers, and requests left out. */
export const REQUEST_HEAD = headOf('http_req_duration')
export const REQUEST = Buffer.from(REQUEST_HEAD)
export const ANSWER = Buffer.from(headOf('plumbline_answer'))
export const DROPPED = Buffer.from(headOf('dropped_iterations'))
/** The line for a response with a Date: its value is the moment before the request was sent. */
export const DATE_HEAD = headOf('plumbline_date')

const NEWLINE = 10

/** The beginning of the lines of a metric. */
export function headOf(metric: string): string {
  return `{"metric":"${metric}","type":"Point","data":{`
}

/** True if these bytes are at this place. */
export function isAt(bytes: Buffer, place: number, wanted: Buffer): boolean {
  // From their end, where most other lines differ at once. A call of `compare` takes longer than that.
  for (let n = wanted.length - 1; n >= 0; n--) if (bytes[place + n] !== wanted[n]) return false
  return true
}

/** Gives each line to a function, by its beginning and its end. */
export async function eachLine(
  text: AsyncIterable<Buffer>,
  take: (bytes: Buffer, start: number, end: number) => void,
): Promise<void> {
  for await (const bytes of wholeLines(text)) takeLines(bytes, take)
}

/** The lines that are read, of up to 14 that k6 writes for each request, each part changed by `clean`. Overwrites the chunks. */
export async function* keepRead(
  text: AsyncIterable<Buffer>,
  clean: ((text: string) => string) | null = null,
): AsyncGenerator<Buffer> {
  for await (const bytes of wholeLines(text)) {
    let length = 0
    takeLines(bytes, (_, start, end) => {
      if (!isAt(bytes, start, REQUEST) && !isAt(bytes, start, ANSWER) && !isAt(bytes, start, DROPPED)) return
      const next = Math.min(end + 1, bytes.length)
      bytes.copyWithin(length, start, next)
      length += next - start
    })
    const kept = bytes.subarray(0, length)
    if (length > 0) yield clean === null ? kept : Buffer.from(clean(kept.toString()))
  }
}

/** Parts of a text that end with a line. A part must not be used once the next one is taken. Not by `readline`, which leaves out the failure of what it reads. */
async function* wholeLines(text: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of text) {
    const [first, end] = [chunk.indexOf(NEWLINE) + 1, chunk.lastIndexOf(NEWLINE) + 1]
    // A copy of the whole chunk would take as much memory again.
    if (end > 0) {
      yield Buffer.concat([rest, chunk.subarray(0, first)])
      yield chunk.subarray(first, end)
    }
    rest = end > 0 ? Buffer.from(chunk.subarray(end)) : Buffer.concat([rest, chunk])
  }
  yield rest
}

function takeLines(bytes: Buffer, take: (bytes: Buffer, start: number, end: number) => void): void {
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf(NEWLINE, start)
    const end = newline === -1 ? bytes.length : newline
    take(bytes, start, end)
    start = end + 1
  }
}

import type { Socket } from 'node:net'

const interim = Buffer.from('HTTP/1.1 100')
const headEnd = '\r\n\r\n'

/** Interim responses that are passed over before a response, bytes: as much as undici takes as the head of a response. */
const maxInterimBytes = 16_384

/**
 * Removes `100 Continue` from what a connection receives. A client must ignore an unrequested one (RFC 9110, 15.2), but
 * undici ends the connection, as it does after too many of them. One exchange is on the connection at a time, and undici
 * takes its bytes by `read`.
 */
export function passOverContinue(socket: Socket): void {
  const [read, write] = [socket.read.bind(socket), socket.write.bind(socket)]
  let isHeadNext = true
  let held: Buffer | null = null
  /** Bytes that were passed over since the last request. */
  let passed = 0
  socket.write = ((...data: Parameters<Socket['write']>) => {
    isHeadNext = true
    passed = 0
    return write(...data)
  }) as Socket['write']
  socket.read = (size?: number): unknown => {
    const bytes: Buffer | null = read(size)
    if (!isHeadNext || bytes === null) return bytes
    let head: Buffer = held === null ? bytes : Buffer.concat([held, bytes])
    held = null
    for (
      let end = head.indexOf(headEnd);
      end >= 0 && passed < maxInterimBytes && head.subarray(0, interim.length).equals(interim);
      end = head.indexOf(headEnd)
    ) {
      passed += end + headEnd.length
      head = head.subarray(end + headEnd.length)
    }
    if (head.length === 0) return socket.read(size)
    const begins = head.subarray(0, interim.length)
    const mayPass = passed + head.length < maxInterimBytes
    if (mayPass && begins.equals(interim.subarray(0, begins.length))) {
      held = head
      return null
    }
    isHeadNext = false
    return head
  }
}

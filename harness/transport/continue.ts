import type { Socket } from 'node:net'

const interim = Buffer.from('HTTP/1.1 100')
const headEnd = '\r\n\r\n'

/**
 * Removes `100 Continue` from what a connection receives. A client must ignore an unrequested one (RFC 9110, 15.2), but
 * undici ends the connection. One exchange is on the connection at a time, and undici takes its bytes by `read`.
 */
export function passOverContinue(socket: Socket): void {
  const [read, write] = [socket.read.bind(socket), socket.write.bind(socket)]
  let isHeadNext = true
  let held: Buffer | null = null
  socket.write = ((...data: Parameters<Socket['write']>) => {
    isHeadNext = true
    return write(...data)
  }) as Socket['write']
  socket.read = (size?: number): unknown => {
    const bytes: Buffer | null = read(size)
    if (!isHeadNext || bytes === null) return bytes
    let head: Buffer = held === null ? bytes : Buffer.concat([held, bytes])
    held = null
    for (
      let end = head.indexOf(headEnd);
      end >= 0 && head.subarray(0, interim.length).equals(interim);
      end = head.indexOf(headEnd)
    ) {
      head = head.subarray(end + headEnd.length)
    }
    if (head.length === 0) return socket.read(size)
    const begins = head.subarray(0, interim.length)
    if (begins.equals(interim.subarray(0, begins.length))) {
      held = head
      return null
    }
    isHeadNext = false
    return head
  }
}

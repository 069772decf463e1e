import { brotliCompressSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { withPlainBody } from './content.ts'
import { maxResponseBytes } from './types.ts'

const response = (coding: string, body: Uint8Array) => ({
  status: 200,
  headers: [['Content-Encoding', coding]] as const,
  body,
})

test.each([
  ['gzip', gzipSync('plain')],
  [' GZIP ', gzipSync('plain')],
  ['br', brotliCompressSync('plain')],
  ['identity', Buffer.from('plain')],
])('a body that is compressed as "%s" is read', (coding, body) => {
  expect(Buffer.from(withPlainBody(response(coding, body)).body).toString()).toBe('plain')
})

test.each([
  ['gzip', Buffer.from('plain'), 'a response claims to be compressed as gzip but is not'],
  ['gzip', gzipSync(Buffer.alloc(maxResponseBytes + 1)), 'a response of more than 16777216 bytes, once decompressed'],
  ['zstd', Buffer.from('plain'), 'a response is compressed as zstd, which was not requested'],
])('a body in %s that cannot be read is refused: %#', (coding, body, message) => {
  expect(() => withPlainBody(response(coding, body))).toThrow(message)
})

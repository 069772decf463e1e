import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import { type HeaderPairs, headerOf } from '../exchange/exchange.ts'
import { maxResponseBytes, TransportFailure } from './types.ts'

const decoders: Readonly<Record<string, (body: Uint8Array) => Uint8Array>> = {
  gzip: (body) => gunzipSync(body, { maxOutputLength: maxResponseBytes }),
  'x-gzip': (body) => gunzipSync(body, { maxOutputLength: maxResponseBytes }),
  deflate: (body) => inflateSync(body, { maxOutputLength: maxResponseBytes }),
  br: (body) => brotliDecompressSync(body, { maxOutputLength: maxResponseBytes }),
}

/** A request or a response with a body. */
interface Message {
  readonly headers: HeaderPairs
  readonly body: Uint8Array
}

/**
 * A message with its decompressed body and unchanged header lines: the record could not find a secret in compressed
 * bytes. Throws TransportFailure if the body does not match its Content-Encoding, or is too large.
 */
export function withPlainBody<Type extends Message>(message: Type): Type {
  const coding = headerOf(message.headers, 'content-encoding')?.trim().toLowerCase() ?? 'identity'
  if (coding === 'identity' || coding === '' || message.body.length === 0) return message
  const decode = decoders[coding]
  if (decode === undefined)
    throw new TransportFailure('malformed', `a response is compressed as ${coding}, which was not requested`)
  try {
    return { ...message, body: decode(message.body) }
  } catch (error) {
    if ((error as { readonly code?: string }).code === 'ERR_BUFFER_TOO_LARGE')
      throw new TransportFailure('too-large', `a response of more than ${maxResponseBytes} bytes, once decompressed`)
    throw new TransportFailure('malformed', `a response claims to be compressed as ${coding} but is not`)
  }
}

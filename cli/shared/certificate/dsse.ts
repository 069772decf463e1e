import { jsonIn } from '../../../harness/exchange/exchange.ts'
import { membersOf } from '../../../harness/exchange/read.ts'

// Dead Simple Signing Envelope, version 1.0.2: the few lines of it that a certificate needs.

/** The media type of an in-toto statement. */
export const statementType = 'application/vnd.in-toto+json'

/** One signature of an envelope. */
interface Signature {
  readonly keyid: string
  readonly sig: Uint8Array
}

/** The bytes that are signed (PAE, pre-authentication encoding): type and body, each with its length. */
export function preAuthEncoding(type: string, body: Uint8Array): Uint8Array {
  const head = `DSSEv1 ${Buffer.byteLength(type)} ${type} ${body.length} `
  return Buffer.concat([Buffer.from(head), body])
}

/** An envelope of a statement. Equal statements and signatures have the same text. */
export function envelopeText(statement: Uint8Array, { keyid, sig }: Signature): string {
  const signatures = [{ keyid, sig: base64(sig) }]
  return `${JSON.stringify({ payload: base64(statement), payloadType: statementType, signatures }, null, 2)}\n`
}

/**
 * The signature of an envelope about this statement; a sentence if it is not one, or of another statement. The text must be
 * the one that `envelopeText` writes: base64 and JSON have several forms of the same bytes.
 */
export function signatureIn(text: string, statement: Uint8Array): Signature | string {
  const { payload, payloadType, signatures } = membersOf(jsonIn(text)) ?? {}
  const [first] = Array.isArray(signatures) ? signatures : []
  const { keyid, sig } = membersOf(first) ?? {}
  if (typeof keyid !== 'string' || typeof sig !== 'string') return 'is not a DSSE envelope with a signature'
  if (payloadType !== statementType) return `has a payload of another type than ${statementType}`
  if (payload !== base64(statement)) return 'signs another statement than statement.json'
  const signature = { keyid, sig: Buffer.from(sig, 'base64') }
  return envelopeText(statement, signature) === text ? signature : 'was changed: it is not as certify writes it'
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64')
}

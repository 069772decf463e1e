import { jsonOf, textOf } from '../../harness/exchange/exchange.ts'
import type { Arrival } from '../../harness/receiver/types.ts'
import { createRedactor, type Redactor } from '../../harness/record/redact.ts'
import type { Context } from '../../harness/rule/context.ts'

/** The beginning of the endpointUrl of every s3Config of a run. */
export const bucketHost = 'https://s3.test/'

/** An s3Config whose texts occur nowhere else, with the characters of usual secrets, and what finds its secret in any encoding. */
export function bucketOf({ random }: Pick<Context, 'random'>) {
  const word = () => Math.floor(random() * 36 ** 9).toString(36)
  const accessSecret = `${word()}/${word()}+${word()}=`
  const bucket = { accessId: word(), accessSecret, bucketName: `b-${word()}`, endpointUrl: `${bucketHost}${word()}` }
  return { bucket, secret: createRedactor({ secret: accessSecret }) }
}

/** True if bytes contain what a redactor masks. */
export function isIn({ bytes }: Redactor, body: Uint8Array | null): boolean {
  return body !== null && bytes(body) !== body
}

/** True if an attempt of a notification contains it, in its address, headers or body. */
export function isInAttempt(redactor: Redactor, { request: { body, headers, url } }: Arrival): boolean {
  return isIn(redactor, body) || [url, ...headers.flat()].some((text) => redactor.text(text) !== text)
}

/** The texts of an attempt: its address, headers and body, and those that JSON or a form may hold with escapes. */
export function attemptText({ request: { body, headers, url } }: Arrival): string {
  const bytes = body ?? new Uint8Array()
  const text = textOf(bytes, 'kept') ?? ''
  const json = jsonOf(bytes)
  const unescaped = json === undefined ? [...new URLSearchParams(text).values()] : textsIn(json)
  return [url, ...headers.flat(), text, ...unescaped].join('\n')
}

function textsIn(value: unknown): readonly string[] {
  return typeof value === 'string' ? [value] : Object.entries(Object(value)).flat().flatMap(textsIn)
}

import { type Exchange, type HeaderPairs, headerOf, jsonOf } from '../harness/exchange/exchange.ts'
import { clearOf, redactorOf, secretsInBody } from '../harness/record/describe.ts'
import { createRedactor, markOf, type Redactor } from '../harness/record/redact.ts'
import { looksSecret, shortestSecret } from '../target/secrets.ts'
import type { Target } from '../target/types.ts'

const cookie = /^(set-)?cookie2?$/i
const authorization = /^(proxy-)?authorization$/i

/** Hides the secrets of a target, and those in the headers, addresses and bodies of other clients. */
export function createTrafficSecrets(target: Target) {
  const marks = new Map(Object.entries(target.keys).map(([name, key]) => [key, `key.${name}`]))
  const found: Record<string, string> = {}
  let more = createRedactor(found, clearOf(target))
  const own = redactorOf(target)
  const redactor: Redactor = {
    text: (value) => more.text(own.text(value)),
    bytes: (value) => more.bytes(own.bytes(value)),
  }

  /** The name of the mark of a secret. */
  function nameOf(secret: string): string {
    const name = marks.get(secret) ?? `token.${marks.size + 1}`
    if (marks.has(secret)) return name
    marks.set(secret, name)
    if (secret.length < shortestSecret) return name
    found[name] = secret
    more = createRedactor(found, clearOf(target))
    return name
  }

  const mark = (secret: string) => (secret === '' ? '' : markIn(secret, nameOf(secret)))

  /** A header line without its secret. */
  function hiddenLine([name, value]: HeaderPairs[number]): HeaderPairs[number] {
    const setsCookie = cookie.exec(name)?.[1] !== undefined
    if (setsCookie || cookie.test(name)) {
      const pairs = value.split(';', setsCookie ? 1 : undefined)
      return [name, pairs.map((pair) => mark(pair.slice(pair.indexOf('=') + 1).trim())).join('; ')]
    }
    const isSecret = authorization.test(name) || looksSecret.test(name)
    // A scheme may come first.
    return [name, isSecret ? value.replace(/\S+$|(?<= )\S+/g, mark) : value]
  }

  /** An address without a password, and without the secrets of its query. */
  function hiddenUrl(url: string): string {
    const parameter = (all: string, name: string, value: string) =>
      looksSecret.test(name) ? `${name}${mark(decoded(value))}` : all
    return url.replace(/(?<=^https?:\/\/)[^/?#@]*@/, '').replace(/(?<=[?&])([^=&#]+=)([^&#]*)/g, parameter)
  }

  return {
    redactor,
    /** The name of the key that a request was sent with: of the target file, or its number; null without one. */
    keyOf(headers: HeaderPairs): string | null {
      const token = tokenOf(headerOf(headers, 'authorization') ?? '')
      return token === '' ? null : nameOf(token).replace(/^key\./, '')
    },
    /** The exchange as it may be written: `redactor` masks what is left. */
    hidden(exchange: Exchange): Exchange {
      const { request, response } = exchange
      for (const body of [request.body, response?.body]) {
        for (const secret of body == null ? [] : secretsInBody(target, jsonOf(body))) nameOf(secret)
      }
      const lines = <Message extends { readonly headers: HeaderPairs }>(message: Message): Message => ({
        ...message,
        headers: message.headers.map(hiddenLine),
      })
      return {
        ...exchange,
        request: { ...lines(request), url: hiddenUrl(request.url) },
        response: response === null ? null : lines(response),
      }
    },
  }
}

function decoded(value: string): string {
  return new URLSearchParams(`value=${value}`).get('value') ?? ''
}

/** The last word of an Authorization header: all schemes end with what is secret. */
function tokenOf(value: string): string {
  return value.trimEnd().split(' ').at(-1) ?? ''
}

/** A mark that is as short as its token: a rule about tokens passes over those that are too short to be recognised. */
function markIn(token: string, name: string): string {
  return token.length < shortestSecret ? markOf(name.replace('token.', '')) : markOf(name)
}

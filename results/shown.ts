import { type Exchange, type HeaderPairs, jsonOf, textOf } from '../harness/exchange/exchange.ts'
import { membersOf } from '../harness/exchange/read.ts'
import type { Finding } from '../harness/rule/outcome.ts'
import { commandText, readCommandAddress } from '../harness/tool/address.ts'
import { exitIn } from '../harness/tool/end.ts'
import type { ShownExchange, ShownMessage } from './types.ts'

/** Most characters of a body that are shown. */
const shownBodyCharacters = 4_000

/** A response in short: its HTTP status, and the status of the pod or job in it. */
export interface ShownResponse {
  readonly status: number
  readonly state: string | null
}

/** An exchange as reports show it. */
export function showExchange(exchange: Exchange): ShownExchange {
  const { n, owner, operation, subject, sent, received, request, response, failure } = exchange
  return {
    n,
    owner,
    operation,
    subject,
    waitedMs: 0,
    polls: null,
    sentMs: sent.target,
    receivedMs: received.target,
    request: { method: request.method, url: request.url, ...showMessage(request.headers, request.body) },
    response: response === null ? null : { status: response.status, ...showMessage(response.headers, response.body) },
    failure,
  }
}

/** The response of an exchange in short; null without one. */
export function shownResponseOf({ response }: Exchange): ShownResponse | null {
  if (response === null) return null
  const status = membersOf(jsonOf(response.body))?.status
  return { status: response.status, state: typeof status === 'string' ? status : null }
}

/** `200 RUNNING`, `404`, or `no response`. */
export function shownResponseText(answer: ShownResponse | null): string {
  if (answer === null) return 'no response'
  return answer.state === null ? String(answer.status) : `${answer.status} ${answer.state}`
}

/** A request and its response in a line: `GET https://… → 200`, or `deploy.build → exit code 1` of a deployment tool. */
export function exchangeLine({ request, response, failure }: ShownExchange): string {
  const command = readCommandAddress(request.url)
  const answer = response === null ? (failure ?? 'no response') : String(response.status)
  if (command === null) return `${request.method} ${request.url} → ${answer}`
  const exit = exitIn(response?.body ?? '')
  return `${commandText(command)} → ${exit === null ? answer : `exit code ${exit}`}`
}

/** True if the wrong part of a response is its HTTP status. */
export function mentionsStatusOf({ observed }: Finding, { status }: ShownResponse): boolean {
  return new RegExp(`^status ${status}\\b`).test(observed)
}

function showMessage(headers: HeaderPairs, body: Uint8Array | null): ShownMessage {
  const pairs = headers.map(([name, value]) => [name, value] as const)
  if (body === null || body.length === 0) return { headers: pairs, body: null, bodyKind: 'none', bodyBytes: 0 }
  const text = textOf(body)
  const bodyBytes = body.length
  if (text !== null) {
    const cut = text.length > shownBodyCharacters
    return { headers: pairs, body: cut ? beginning(text) : text, bodyKind: cut ? 'cut' : 'text', bodyBytes }
  }
  const most = (shownBodyCharacters / 4) * 3
  const base64 = Buffer.from(body.subarray(0, most)).toString('base64')
  return { headers: pairs, body: base64, bodyKind: bodyBytes > most ? 'base64-cut' : 'base64', bodyBytes }
}

/** The first characters of a text; never half of a surrogate pair. */
function beginning(text: string): string {
  const cut = text.slice(0, shownBodyCharacters)
  return cut.isWellFormed() ? cut : cut.slice(0, -1)
}

import type { Exchange, WireRequest, WireResponse } from '../exchange/exchange.ts'

/** Parts of a message; a text is its body in UTF-8. */
type Parts<Message extends { readonly body: Uint8Array | null }> = Partial<
  Omit<Message, 'body'> & { readonly body: Message['body'] | string }
>

interface Given extends Partial<Omit<Exchange, 'request' | 'response'>> {
  readonly request?: Parts<WireRequest>
  /** Null: there was none. */
  readonly response?: Parts<WireResponse> | null
}

/** A read of a pod that was answered 200 with an empty body, all at moment 0, with other parts. */
export function exchangeWith({ request, response, ...more }: Given): Exchange {
  const moment = { target: 0, harness: 0 }
  const bytes = (body: Uint8Array | string) => (typeof body === 'string' ? new TextEncoder().encode(body) : body)
  return {
    n: 1,
    owner: 'a rule',
    operation: 'getPod',
    subject: null,
    key: 'full',
    sent: moment,
    received: moment,
    failure: null,
    ...more,
    request: {
      method: 'GET',
      url: 'https://a.test',
      headers: [],
      ...request,
      body: request?.body == null ? null : bytes(request.body),
    },
    response: response === null ? null : { status: 200, headers: [], ...response, body: bytes(response?.body ?? '') },
  }
}

import { html } from 'hono/html'
import { lengthOf } from '../harness/common/length.ts'
import type { ShownExchange, ShownMessage } from '../results/types.ts'
import { visible } from './sort.ts'

type Markup = ReturnType<typeof html>

const kinds: Readonly<Record<ShownMessage['bodyKind'], string>> = {
  text: '',
  none: 'no body',
  cut: 'the beginning',
  base64: 'base64, because it is not text',
  'base64-cut': 'base64 of the beginning, because it is not text',
}

/** One exchange as on the wire, secrets as marks. */
export function renderExchange(exchange: ShownExchange, open: boolean): Markup {
  const { n, owner, operation, request, response, failure, sentMs, receivedMs, waitedMs, polls } = exchange
  const answer = response === null ? (failure ?? 'no answer') : String(response.status)
  const asked = polls === null ? '' : `, sent ${polls.count} times: ${polls.from} … ${polls.to}`
  const waited = waitedMs < 1 ? '' : `, after a wait of ${lengthOf(waitedMs)}`
  return html`<details class="exchange"${open ? ' open' : ''}>
<summary><b>${n}</b> ${request.method} ${visible(request.url)} → ${visible(answer)}</summary>
<p class="quiet">${operation}, sent by ${owner}, answered in ${lengthOf(receivedMs - sentMs)}${visible(asked)}${waited}</p>
<pre>${`${request.method} ${visible(request.url)}\n`}${message(request)}</pre>
<pre>${`${response === null ? visible(failure ?? 'no answer') : response.status}\n`}${response === null ? null : message(response)}</pre>
</details>
`
}

function message({ headers, body, bodyKind, bodyBytes }: ShownMessage): Markup {
  const lines = headers.map(([name, value]) => `${visible(name)}: ${visible(value)}`).join('\n')
  const kind = kinds[bodyKind]
  const note = kind === '' ? '' : bodyKind === 'none' ? `(${kind})` : `(${kind}; ${bodyBytes} bytes in all)`
  const shown = body === null ? '' : body.split('\n').map(visible).join('\n')
  return html`${lines}\n\n${shown}${note === '' ? null : html`<i>${shown === '' ? '' : '\n'}${note}</i>`}`
}

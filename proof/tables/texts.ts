import { pluralize } from '../../harness/common/pluralize.ts'
import { jsonIn } from '../../harness/exchange/exchange.ts'
import type { Expected, WrongText } from '../../suites/shared/table.ts'
import { is } from '../defects/tools.ts'
import type { Fetch, Variant } from '../types.ts'
import { type Fault, laterMs, otherStatus } from './tools.ts'

/** The faults of a case that is sent as text: a lenient reader makes out what was meant. */
export function textFaults(
  name: string,
  { text: write }: WrongText,
  statuses: readonly Expected[],
  isLater: boolean,
): Fault[] {
  const meant = (text: string) => readings(text).find((json) => jsonIn(json) !== undefined && write(json) === text)
  const other = otherStatus(statuses) ?? 500
  const answered = (status: number): Pick<Fault, 'clause' | 'observed' | 'wrap'> => ({
    clause: name,
    observed: `status ${status}`,
    wrap: onText(meant, async (_, serve) => {
      const response = await serve()
      return response.status < 400 ? response : new Response(await response.text(), { ...response, status })
    }),
  })
  return [
    {
      id: 'accepted',
      says: 'is accepted, because the reader makes out what was meant',
      clause: name,
      observed: 'status 201',
      wrap: onText(meant, (json, serve) => serve(json)),
    },
    { id: String(other), says: `is refused with ${other}`, ...answered(other) },
    { id: '500', says: 'is answered 500', ...answered(500) },
    {
      id: isLater ? 'carried-out-later' : 'carried-out',
      says: `is refused, and a pod is created ${isLater ? `${pluralize(laterMs / 1_000, 'second')} later` : 'all the same'}`,
      clause: 'no-pod',
      observed: `a pod of: ${name}`,
      change: (options) => {
        const { clock } = options
        const wrap = onText(meant, async (json, serve) => {
          const response = await serve()
          if (isLater) clock.schedule(clock.now() + laterMs, () => void serve(json))
          else await serve(json)
          return response
        })
        const before = options.wrapFetch ?? []
        return { ...options, wrapFetch: [...(Array.isArray(before) ? before : [before]), wrap] }
      },
    },
  ]
}

/** What a lenient reader might take a text for. */
function readings(text: string): readonly string[] {
  const end = text.lastIndexOf('}')
  return [`${text}}`, text.slice(0, end + 1), text.replace(/,\}$/, '}'), text.replaceAll("'", '"')]
}

/** Creations whose text was meant to be another one; `serve` serves the request, or the same with another body. */
function onText(
  meant: (text: string) => string | undefined,
  answer: (json: string, serve: (json?: string) => Promise<Response>) => Promise<Response>,
): NonNullable<Variant['wrap']> {
  return (fetch: Fetch) => async (request) => {
    if (!is.create(request)) return fetch(request)
    const { headers, method, url } = request
    const text = await request.text()
    const serve = (body = text) => fetch(new Request(url, { method, headers, body }))
    const json = meant(text)
    return json === undefined ? serve() : answer(json, serve)
  }
}

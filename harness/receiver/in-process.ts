import type { EmbeddedTarget } from '../transport/embedded.ts'
import type { Answer, Listener, Receive } from './types.ts'

/** The listener of a target in this process: its calls end here, and no port is open. */
export function inProcessListener(target: EmbeddedTarget): Listener | null {
  const { reach } = target
  if (reach === undefined) return null
  return { open: (receive) => reach.call(target, (request) => answer(request, receive)) }
}

async function answer(request: Request, receive: Receive): Promise<Response> {
  const { pathname, search } = new URL(request.url)
  const answered = await receive({
    method: request.method,
    path: pathname + search,
    headers: [...request.headers].map(([name, value]) => [name, value] as const),
    body: new Uint8Array(await request.arrayBuffer()),
    signal: request.signal,
  })
  return toResponse(answered)
}

function toResponse(answer: Answer): Response {
  if (answer === 'reset') throw new TypeError('the connection was broken off')
  const { status, headers, body } = answer
  return new Response(body, { status, headers: headers.map(([name, value]) => [name, value] as [string, string]) })
}

import type { ObservableClock } from './types.ts'

/** Where the clock of a served reference is controlled, below its base address. */
export const clockPath = '/plumbline/clock'

/**
 * The two calls by which a harness reads and moves the clock of a target, whatever the path:
 * GET answers the state; POST with `{"advanceMs": n}` moves time once and answers the state after it.
 * A clock without `advance` (a real one) answers POST with 409, an `advanceMs` that is no integer of at least 0 is 400.
 */
export function createControlHandler(clock: ObservableClock): (request: Request) => Promise<Response> {
  return async (request) => {
    if (request.method === 'GET') return Response.json(await clock.state())
    if (request.method !== 'POST') return refusal(405, `The clock answers GET and POST, not ${request.method}`)
    if (clock.advance === undefined) return refusal(409, 'This clock is real: it cannot be advanced, only read')
    const advanceMs = readAdvance(await request.text())
    if (advanceMs === null)
      return refusal(400, 'Expected {"advanceMs": n} with an integer n of at least 0 milliseconds')
    return Response.json(await clock.advance(advanceMs))
  }
}

function readAdvance(text: string): number | null {
  try {
    const advanceMs: unknown = JSON.parse(text)?.advanceMs
    return typeof advanceMs === 'number' && Number.isSafeInteger(advanceMs) && advanceMs >= 0 ? advanceMs : null
  } catch {
    return null
  }
}

function refusal(status: number, detail: string): Response {
  const headers: Record<string, string> = { 'content-type': 'application/problem+json' }
  if (status === 405) headers.allow = 'GET, POST'
  return new Response(JSON.stringify({ title: 'Clock not moved', status, detail }), { status, headers })
}

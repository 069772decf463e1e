import { afterwards, answered, is, type Wrap } from '../defects/tools.ts'

// Effects of bodies on a pod that show in what comes later, for the tests of fuzzing.

/** Refused actions: bodies that their pod was sent before, and how many with a further property that is null there were in all. */
export interface Sent {
  readonly bodies: readonly string[]
  readonly total: number
}

/** After a refusal of a body with a further property that is null, its pod is renamed if `when` says so. */
export function renaming(when: (sent: Sent) => boolean): Wrap {
  const sent = new Map<string, string[]>()
  let total = 0
  return afterwards(answered(422, is.action), async ({ url, headers }, body, fetch) => {
    const bodies = sent.get(url) ?? []
    sent.set(url, [...bodies, JSON.stringify(body)])
    if (body.plumbline !== null) return
    total++
    if (!when({ bodies, total })) return
    const change = { method: 'PATCH', headers, body: '{"name":"renamed"}' }
    await fetch(new Request(url.replace(/\/action$/, ''), change))
  })
}

/** Once a pod was sent a body with a further property that is null, it answers every action with 500. */
export function breaking(): Wrap {
  return (fetch) => {
    const broken = new Set<string>()
    return async (request) => {
      const isBroken = broken.has(request.url)
      if (is.action(request) && (await request.clone().text()).includes('"plumbline":null')) broken.add(request.url)
      return isBroken ? Response.json({}, { status: 500 }) : fetch(request)
    }
  }
}

/** A pod stops once by itself while bodies are refused. */
export function crashing(): Wrap {
  let isOver = false
  return afterwards(
    (request, { status }) => is.action(request) && status === 422 && !isOver,
    async (request, _, fetch) => {
      isOver = true
      await fetch(new Request(request.url, { method: 'POST', headers: request.headers, body: '{"action":"stop"}' }))
    },
  )
}

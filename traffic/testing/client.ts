/** A request as a client of the reference sends it. */
interface SentRequest {
  readonly body?: unknown
  /** The bearer token; null for none. */
  readonly token?: string | null
}

export type Send = (method: string, path: string, request?: SentRequest) => Promise<{ status: number; json: unknown }>

/** A HAR entry. */
type Entry = Readonly<Record<string, unknown>>

const full = 'plumbline-example-full'

/** A client of a reference at `url`, which keeps its requests as a HAR. */
export function createClient(url: string, fetch: (request: Request) => Promise<Response>) {
  const entries: Entry[] = []
  const send: Send = async (method, path, { body, token = full } = {}) => {
    const headers: Record<string, string> = { cookie: 'session=of-a-browser' }
    if (token !== null) headers.authorization = `Bearer ${token}`
    if (body !== undefined) headers['content-type'] = 'application/json'
    const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body)
    const sentMs = Date.now()
    const response = await fetch(
      new Request(url + path, { method, headers, ...(text !== undefined && { body: text }) }),
    )
    const content = await response.text()
    entries.push({
      startedDateTime: new Date(sentMs).toISOString(),
      time: Date.now() - sentMs,
      request: {
        method,
        url: url + path,
        headers: pairs(Object.entries(headers)),
        ...(text !== undefined && { postData: { text } }),
      },
      response: {
        status: response.status,
        headers: pairs([...response.headers]),
        content: { size: content.length, text: content },
      },
    })
    // Two moments a millisecond apart have no certain order.
    await new Promise((resolve) => setTimeout(resolve, 5))
    return { status: response.status, json: content.startsWith('{') ? JSON.parse(content) : null }
  }
  return { send, entries }
}

export function harOf(entries: readonly Entry[]): string {
  return JSON.stringify({ log: { version: '1.2', creator: { name: 'a test', version: '1' }, entries } })
}

function pairs(lines: readonly (readonly [string, string])[]) {
  return lines.map(([name, value]) => ({ name, value }))
}

/** Pods that a reference for `journey` has from the beginning. */
export const journeyPods = ['first', 'last'].map((name) => ({
  body: { name, image: 'alpine', cpu: { id: 'cpu3c', vcpuCount: 2 } },
  status: 'RUNNING' as const,
}))

/** A wait after which a client knows all responses (`knownAfterMs`). */
export const untilKnown = () => new Promise((resolve) => setTimeout(resolve, 300))

/** A client that does everything right, a refused token and a pod that is not there included. */
export async function journey(send: Send): Promise<void> {
  const id = await firstRunning(send)
  await send('GET', '/v2/pods', { token: 'never-issued-token' })
  await send('GET', '/v2/pods/missing')
  await send('GET', `/v2/pods/${id}`)
  await untilKnown()
  await send('POST', `/v2/pods/${id}/action`, { body: { action: 'stop' } })
  await send('GET', `/v2/pods/${id}`)
  const { json: made } = await send('POST', '/v2/pods', {
    body: { name: 'second', image: 'alpine', cpu: { id: 'cpu3c', vcpuCount: 2 } },
  })
  await send('PATCH', `/v2/pods/${Object(made).id}`, { body: { name: 'third' } })
  await send('DELETE', `/v2/pods/${Object(made).id}`)
  const { json: job } = await send('POST', '/v2/normal/runsync', { body: { input: { text: 'hello' } } })
  for (let reads = 0; reads < 2; reads++) await send('GET', `/v2/normal/status/${Object(job).id}`)
  await send('GET', '/v2/normal/health')
}

/** The id of the first RUNNING pod of a list. */
export async function firstRunning(send: Send): Promise<string> {
  const { json } = await send('GET', '/v2/pods')
  const [list] = Object.values(Object(json)) as { id: string; status: string }[][]
  return list?.find(({ status }) => status === 'RUNNING')?.id ?? ''
}

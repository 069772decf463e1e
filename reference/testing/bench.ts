import { createControlledClock, createReference, defaultKeys, type ReferenceOptions } from '../index.ts'

/** An answer with its body read as JSON; `body` is undefined if there is none. */
export interface Heard {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly body: Readonly<Record<string, unknown>> | undefined
}

export interface Sent {
  /** A text is sent as it is, anything else as JSON. */
  readonly body?: unknown
  readonly key?: keyof typeof defaultKeys
  /** null sends no Authorization at all. */
  readonly authorization?: string | null
  readonly headers?: Record<string, string>
}

export const START_MS = Date.UTC(2026, 0, 2, 3, 4, 5)
export const gpuBody = { name: 'trainer', image: 'registry.test/trainer:1', gpu: { id: 'gpu-a' } }
export const cpuBody = { name: 'crawler', image: 'registry.test/crawler:1', cpu: { id: 'cpu3c', vcpuCount: 4 } }
export const networkBody = { ...gpuBody, mounts: { network: [{ volumeId: 'vol-1', path: '/work' }] } }
export const persistentBody = { ...gpuBody, mounts: { persistent: { size: 20, path: '/work' } } }

/** A reference on a controlled clock, and short words to talk to it. */
export function createBench(options: Partial<ReferenceOptions> = {}) {
  const controlled = createControlledClock(START_MS)
  const reference = createReference({ clock: controlled.clock, ...options })
  const fetch = controlled.wrap(reference.fetch)

  async function call(method: string, path: string, sent: Sent = {}): Promise<Heard> {
    const { body, key = 'full', authorization = `Bearer ${defaultKeys[key]}`, headers } = sent
    const text =
      body === undefined || typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)
    const response = await fetch(
      new Request(`https://pods.test${path}`, {
        method,
        headers: {
          ...(authorization === null ? {} : { authorization }),
          ...(text === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(text === undefined ? {} : { body: text as string }),
      }),
    )
    const answer = await response.text()
    return { status: response.status, headers: response.headers, text: answer, body: parse(answer) }
  }

  /** Moves time by exactly `ms`, in as many steps as it takes. */
  function pass(ms: number): void {
    const untilMs = controlled.clock.now() + ms
    do controlled.advance(untilMs - controlled.clock.now())
    while (controlled.clock.now() < untilMs)
  }

  async function create(body: unknown = gpuBody, sent: Sent = {}): Promise<string> {
    const { body: pod } = await call('POST', '/v2/pods', { ...sent, body })
    return String(pod?.id)
  }

  async function running(body: unknown = gpuBody): Promise<string> {
    const id = await create(body)
    pass(5000)
    return id
  }

  return {
    controlled,
    reference,
    call,
    pass,
    create,
    running,
    get: (id: string, sent?: Sent) => call('GET', `/v2/pods/${id}`, sent),
    patch: (id: string, body: unknown, sent?: Sent) => call('PATCH', `/v2/pods/${id}`, { ...sent, body }),
    act: (id: string, action: string, sent?: Sent) =>
      call('POST', `/v2/pods/${id}/action`, { body: { action }, ...sent }),
  }
}

function parse(text: string): Heard['body'] {
  return text === '' ? undefined : JSON.parse(text)
}

import { serve } from '@hono/node-server'
import type { RateOperation } from '../../generated/tables.ts'
import { createOperationLimiter } from '../../reference/limits/queue/operation-limiter.ts'
import type { LoadRequests } from '../k6/script-plan.ts'
import { createLimits, type TargetOptions } from './targets.ts'

export const TOKEN = 'plumbline-example-load'

/** How this server is asked for each operation. */
export const requests: LoadRequests = {
  cancel: { method: 'POST', path: '/cancel?hold={holdMs}', body: '{}' },
  requests: { method: 'GET', path: '/requests?hold={holdMs}', body: null },
  purge: { method: 'POST', path: '/purge?hold={holdMs}', body: null },
  run: { method: 'POST', path: '/run?hold={holdMs}', body: '{}' },
}

export interface PodServerOptions {
  readonly quota: number
  readonly windowSeconds: number
  /** The value of Retry-After, given whole seconds. */
  readonly retryAfter?: (seconds: number) => string
}

export interface LoadServer {
  /** Addresses by the name of the endpoint. */
  readonly urls: Readonly<Record<string, string>>
  close(): Promise<void>
}

/** Two endpoints with limits on 127.0.0.1, in real time, and a pod list with a quota of its own. */
export async function startServer(options: TargetOptions, pods?: PodServerOptions): Promise<LoadServer> {
  const limits = createLimits(options)
  const answerPods = pods === undefined ? undefined : podAnswer(pods)

  const fetch = async (request: Request): Promise<Response> => {
    const { pathname, searchParams } = new URL(request.url)
    if (request.headers.get('authorization') !== `Bearer ${TOKEN}`) return new Response(null, { status: 401 })
    if (answerPods !== undefined && pathname === '/v2/pods') return answerPods()
    const [, endpoint = '', operation = ''] = pathname.split('/')
    const admission = limits(endpoint, operation as RateOperation).admit(Date.now())
    if (!admission.admitted) return Response.json({ error: 'rate limit exceeded' }, { status: options.refusal ?? 429 })
    const holdMs = Number(searchParams.get('hold') ?? 0)
    if (holdMs > 0) await new Promise((resolve) => setTimeout(resolve, holdMs))
    admission.release()
    return Response.json({ status: 'completed' })
  }

  return await new Promise((resolve) => {
    const server = serve({ fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => {
      const urls = { first: `http://127.0.0.1:${port}/a`, second: `http://127.0.0.1:${port}/b` }
      resolve({
        urls: pods === undefined ? urls : { first: `http://127.0.0.1:${port}` },
        close: () =>
          new Promise((closed) => {
            server.close(() => closed())
            if ('closeAllConnections' in server) server.closeAllConnections()
          }),
      })
    })
  })
}

function podAnswer({ quota, windowSeconds, retryAfter = String }: PodServerOptions): () => Response {
  const rate = { requests: quota, windowSeconds, concurrent: null }
  const limiter = createOperationLimiter({ rate, kind: 'first-request-window' })
  let left = quota
  return () => {
    const admission = limiter.admit(Date.now())
    left = admission.admitted ? Math.max(0, left - 1) : 0
    const seconds = admission.admitted ? windowSeconds : Math.ceil(admission.retryAfterMs / 1000)
    const headers = {
      ratelimit: `"minute";r=${left};t=${seconds}`,
      'ratelimit-policy': `"minute";q=${quota};w=${windowSeconds}`,
    }
    if (admission.admitted) return Response.json({ pods: [] }, { headers })
    return new Response('{"detail":"rate limit exceeded for the minute window"}', {
      status: 429,
      headers: { ...headers, 'retry-after': retryAfter(seconds) },
    })
  }
}

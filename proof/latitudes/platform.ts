import { composeOptions } from '../../reference/options.ts'
import { type Json, onJson, type Wrap } from '../defects/tools.ts'
import { inProvisioning, latitude, verdict } from './tools.ts'

/** What a platform adds to its pods, and when it shows them. */
export const platform = [
  latitude('platform-adds', 'A pod that runs has a port and a variable of the platform, and a global address.', {
    wrap: onJson(
      (request, { status }) => status === 200 && /\/pods\/[^/]+(\/action)?$/.test(request.url),
      (pod) =>
        pod.status === 'RUNNING'
          ? {
              ...pod,
              ports: [...(pod.ports as readonly string[]), '22/tcp'],
              env: { ...(pod.env as Json), PLATFORM_HOST: 'host-37' },
              globalNetworking: { enabled: true, ip: '10.0.0.7', internalDns: 'pod.internal' },
            }
          : pod,
    ),
  }),
  latitude('new-pods-read-late', 'For a second after its creation a pod is not found by its id.', {
    change: (options) => {
      const untilMs = new Map<string, number>()
      const wrapFetch: Wrap = (fetch) => async (request) => {
        const id = request.url.split('/').at(-1) ?? ''
        if (request.method === 'GET' && options.clock.now() < (untilMs.get(id) ?? 0)) {
          return fetch(new Request(`${request.url}-unknown`, { headers: request.headers }))
        }
        const response = await fetch(request)
        if (request.method !== 'POST' || id !== 'pods' || !response.ok) return response
        untilMs.set(((await response.clone().json()) as { readonly id: string }).id, options.clock.now() + 1_000)
        return response
      }
      return composeOptions(options, { wrapFetch })
    },
    verdicts: verdict('inconclusive', inProvisioning),
  }),
]

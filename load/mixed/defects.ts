import { composeOptions, type ReferenceOptions, wait } from '../../reference/index.ts'

/** A change of the reference that breaks no rule: only a soak or `regress` shows it. */
interface MeasuredDefect {
  readonly id: string
  /** The fault, as one sentence. */
  readonly says: string
  readonly change: (options: ReferenceOptions) => ReferenceOptions
}

/** How much longer each /status takes than the one before it, ms. */
const slowerMs = 0.1

/** How long a list of pods takes alone, and while another one is open, ms. */
const listMs = { alone: 20, beside: 80 } as const

export const measuredDefects: readonly MeasuredDefect[] = [
  {
    id: 'status-slower-each-time',
    says: 'Each /status takes 0.1 ms longer than the one before it.',
    change: (options) => {
      const { clock } = options
      let count = 0
      return composeOptions(options, {
        wrapFetch: (fetch) => async (request) => {
          const response = await fetch(request)
          if (!new URL(request.url).pathname.includes('/status/')) return response
          await wait(++count * slowerMs, { clock })
          return response
        },
      })
    },
  },
  {
    id: 'health-keeps-counting',
    says: '/health still counts ended jobs as waiting.',
    change: (options) => {
      const submitted = new Map<string, number>()
      return composeOptions(options, {
        parts: {
          addJob: (add) => (submission, operation, endpoint, service) => {
            submitted.set(endpoint.id, (submitted.get(endpoint.id) ?? 0) + 1)
            return add(submission, operation, endpoint, service)
          },
          presentHealth: (present) => (endpoint, service) => {
            const shown = present(endpoint, service)
            return { ...shown, jobs: { ...Object(shown.jobs), inQueue: submitted.get(endpoint.id) ?? 0 } }
          },
        },
      })
    },
  },
  {
    id: 'list-slower-under-load',
    says: 'A list of pods takes 20 ms, and 80 ms while another one is open.',
    change: (options) => {
      const { clock } = options
      let open = 0
      return composeOptions(options, {
        wrapFetch: (fetch) => async (request) => {
          if (request.method !== 'GET' || new URL(request.url).pathname !== '/v2/pods') return fetch(request)
          await wait(++open > 1 ? listMs.beside : listMs.alone, { clock })
          return fetch(request).finally(() => open--)
        },
      })
    },
  },
]

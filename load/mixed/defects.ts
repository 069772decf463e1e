import { composeOptions, type ReferenceOptions } from '../../reference/index.ts'

/** A change of the reference that breaks no rule: only a soak shows it. */
interface SoakDefect {
  readonly id: string
  /** The fault, as one sentence. */
  readonly says: string
  readonly change: (options: ReferenceOptions) => ReferenceOptions
}

/** How much longer each /status takes than the one before it, ms. */
const slowerMs = 0.1

export const soakDefects: readonly SoakDefect[] = [
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
          const endMs = clock.now() + ++count * slowerMs
          await new Promise<void>((resolve) => void clock.schedule(endMs, resolve))
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
]

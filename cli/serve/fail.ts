import { composeOptions, type ReferenceOptions, Refusal } from '../../reference/index.ts'

/**
 * Options with which a share of the requests fails with 500 before anything is done. Every plane authenticates first, and
 * answers a refusal in its own form.
 * @param rate from 0 to 1.
 */
export function withFailures(options: ReferenceOptions, rate: number, random = Math.random): ReferenceOptions {
  if (rate === 0) return options
  return composeOptions(options, {
    parts: {
      authenticate: (original) => (authorization, service) => {
        if (random() < rate) throw new Refusal(500, 'failed by serve --fail; nothing was done')
        return original(authorization, service)
      },
    },
  })
}

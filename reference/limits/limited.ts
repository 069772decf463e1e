import { composeOptions, type ReferenceOptions } from '../options.ts'
import { type Limiter, type LimiterMaker, limiterOf } from './limiter.ts'

/** Options with another limiter around the one that there is. */
export function limited(wrap: (limiter: Limiter) => Limiter) {
  return (options: ReferenceOptions): ReferenceOptions => {
    const make: LimiterMaker = options.limiter ?? limiterOf('fixed-window')
    return composeOptions(options, { limiter: (windows) => wrap(make(windows)) })
  }
}

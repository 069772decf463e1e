import type { ReferenceClock } from './types.ts'

/** Waits for `ms` of the clock. */
export function wait(ms: number, { clock }: { readonly clock: ReferenceClock }): Promise<void> {
  return new Promise((resolve) => {
    clock.schedule(clock.now() + ms, resolve)
  })
}

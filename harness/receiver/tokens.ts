import { createHash } from 'node:crypto'

/** A name that cannot be guessed without run and seed, and that a replay makes again from them: 128 bits as hex. */
export function tokenOf(run: string, seed: number, what: string): string {
  return createHash('sha256').update(`${run} ${seed} ${what}`).digest('hex').slice(0, 32)
}

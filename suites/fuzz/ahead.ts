import { readBody } from './oracle/reading.ts'
import type { caseAt } from './stages.ts'

export type Drawn = ReturnType<typeof caseAt>

/** One case that is drawn while the answer to another is awaited; whoever is the first to be free takes it. */
export interface Ahead {
  /** Draws a case and reads its body, where that is not done yet. */
  prepare(run: number | null): void
  /** The case: the one that is prepared, or drawn now. */
  take(run: number): Drawn
}

export function createAhead(draw: (run: number) => Drawn): Ahead {
  let prepared: { readonly run: number; readonly drawn: Drawn } | null = null
  return {
    prepare(run) {
      if (run === null || prepared?.run === run) return
      prepared = { run, drawn: draw(run) }
      // What is read is remembered.
      readBody(prepared.drawn.one.bytes)
    },
    take: (run) => (prepared?.run === run ? prepared.drawn : draw(run)),
  }
}

import type { FuzzCase } from './cases.ts'
import type { Drawn } from './steps.ts'

/** How many simpler cases of a finding are tried. */
const simplerTries = 24

/** Cases that show something when they are sent, in this order, to a new pod, and what they show. */
export interface PinnedDown<C, T> {
  readonly cases: readonly C[]
  readonly seen: T
}

/** If more cases than this are needed, all of them are reported. */
const maxNeeded = 3

/**
 * Finds the few of these cases that are enough to show something again, most often one: the shortest beginning that
 * still shows it ends with a case that is needed, and so on until the needed ones show it alone. `shows` sends cases to
 * a new pod and returns null where they do not show it. Null where all of them together do not show it again; all that
 * may be needed, in order, where more than three are.
 */
export async function pinDown<C, T>(
  cases: readonly C[],
  shows: (cases: readonly C[]) => Promise<T | null>,
): Promise<PinnedDown<C, T> | null> {
  const seen = cases.length === 0 ? null : await shows(cases)
  if (seen === null) return null
  let before = cases
  let needed: readonly C[] = []
  while (before.length > 0 && needed.length < maxNeeded) {
    let enough = before.length
    for (let short = 0; enough - short > 1; ) {
      const middle = Math.floor((short + enough) / 2)
      if ((await shows([...before.slice(0, middle), ...needed])) === null) short = middle
      else enough = middle
    }
    needed = [...before.slice(enough - 1, enough), ...needed]
    before = before.slice(0, enough - 1)
    const alone = await shows(needed)
    if (alone !== null) return { cases: needed, seen: alone }
  }
  return { cases: [...before, ...needed], seen }
}

/** The simplest case that still fails in the same way, with the path that draws it. */
export async function simplest(
  drawn: Drawn,
  fails: (simpler: FuzzCase) => Promise<boolean>,
  tries = simplerTries,
): Promise<Drawn> {
  let left = tries
  let least = drawn
  search: for (;;) {
    let step = -1
    for (const simpler of least.one.simpler?.() ?? []) {
      step++
      if (left-- <= 0) return least
      if (simpler.mutator !== drawn.one.mutator || !(await fails(simpler))) continue
      least = { one: simpler, path: `${least.path}:${step}` }
      continue search
    }
    return least
  }
}

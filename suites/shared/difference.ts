import { cut } from '../../harness/common/cut.ts'
import { canonical, membersOf } from '../../harness/exchange/read.ts'

/** Two JSON values at the first place where they differ. */
interface Difference {
  readonly expected: string
  readonly observed: string
}

/** Most characters of a value that are shown. */
const shownLength = 100
/** Characters of a text that are shown before the first that differs. */
const shownBefore = 20

/**
 * The first difference between two JSON values, such as `7 at $.list[0]` for `"7" at $.list[0]`; null if they are equal.
 * `clean` removes secrets from a text, before it is cut: a part of a key would not be recognised.
 */
export function differenceOf(
  expected: unknown,
  observed: unknown,
  clean: (text: string) => string,
  path = '',
): Difference | null {
  const isList = Array.isArray(expected)
  const [wanted, shown] = [partsOf(expected), partsOf(observed)]
  if (wanted !== null && shown !== null && isList === Array.isArray(observed)) {
    for (const name of new Set([...wanted.keys(), ...shown.keys()])) {
      const place = isList ? `[${name}]` : `.${name}`
      const inner = differenceOf(wanted.get(name), shown.get(name), clean, path + place)
      if (inner !== null) return inner
    }
    return null
  }
  if (canonical(expected) === canonical(observed)) return null
  const values = [expected, observed].map((value) => (typeof value === 'string' ? clean(value) : value))
  const from = firstDifference(values[0], values[1])
  const at = path === '' ? '' : ` at $${brief(clean(path))}`
  return { expected: valueText(values[0], from, clean) + at, observed: valueText(values[1], from, clean) + at }
}

/** The members of an object or a list; a map, because a target may name a member `constructor`. */
function partsOf(value: unknown): ReadonlyMap<string, unknown> | null {
  const members = Array.isArray(value) ? value : membersOf(value)
  return members === null ? null : new Map(Object.entries(members))
}

/** Where two texts begin to differ; 0 for other values. */
function firstDifference(a: unknown, b: unknown): number {
  if (typeof a !== 'string' || typeof b !== 'string') return 0
  let at = 0
  while (at < a.length && a[at] === b[at]) at++
  return at
}

/** A value in printable characters; of a long text the part around `from`, with its length. */
function valueText(value: unknown, from: number, clean: (text: string) => string): string {
  if (value === undefined) return 'nothing'
  if (typeof value !== 'string' || value.length <= shownLength) return brief(clean(JSON.stringify(value)))
  const begin = Math.max(0, from - shownBefore)
  const part = escapeInvisible(JSON.stringify(value.slice(begin, from + shownLength - shownBefore)))
  return `${part} from character ${begin} of ${value.length}`
}

function brief(text: string): string {
  return cut(escapeInvisible(text), shownLength)
}

/** Letters beyond ASCII and control characters as `\uXXXX`, because some are invisible; but not the marks of secrets. */
function escapeInvisible(text: string): string {
  return text.replaceAll(/[^ -~«»]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

import { canonical, membersOf } from '../../harness/exchange/read.ts'

/** Two JSON values at the first place where they differ. */
export interface Difference {
  readonly expected: string
  readonly observed: string
}

/** Most characters of a value that are shown. */
const shownLength = 100
/** Characters of a text that are shown before the first that differs. */
const shownBefore = 20

/** The first place where a JSON value is not the expected one, such as `7 at $.list[0]` for `"7" at $.list[0]`; null if there is none. */
export function differenceOf(expected: unknown, observed: unknown, path = ''): Difference | null {
  if (canonical(expected) === canonical(observed)) return null
  const isList = Array.isArray(expected)
  const [wanted, shown] = [partsOf(expected), partsOf(observed)]
  if (wanted !== null && shown !== null && isList === Array.isArray(observed)) {
    for (const name of new Set([...Object.keys(wanted), ...Object.keys(shown)])) {
      const place = isList ? `[${name}]` : `.${ascii(name)}`
      const inner = differenceOf(wanted[name], shown[name], path + place)
      if (inner !== null) return inner
    }
  }
  const from = firstDifference(expected, observed)
  const at = path === '' ? '' : ` at $${brief(path)}`
  return { expected: valueText(expected, from) + at, observed: valueText(observed, from) + at }
}

function partsOf(value: unknown): Readonly<Record<string, unknown>> | null {
  return Array.isArray(value) ? { ...value } : membersOf(value)
}

/** Where two texts begin to differ; 0 for other values. */
function firstDifference(a: unknown, b: unknown): number {
  if (typeof a !== 'string' || typeof b !== 'string') return 0
  let at = 0
  while (at < a.length && a[at] === b[at]) at++
  return at
}

/** A value in printable characters; of a long text the part around `from`, with its length. */
function valueText(value: unknown, from: number): string {
  if (value === undefined) return 'nothing'
  if (typeof value !== 'string' || value.length <= shownLength) return brief(ascii(JSON.stringify(value)))
  const begin = Math.max(0, from - shownBefore)
  const part = ascii(JSON.stringify(value.slice(begin, from + shownLength - shownBefore)))
  return `${part} from character ${begin} of ${value.length}`
}

function brief(text: string): string {
  return text.length > shownLength ? `${text.slice(0, shownLength - 1)}…` : text
}

/** Letters beyond ASCII and control characters as `\uXXXX`: some of them are not seen. */
function ascii(text: string): string {
  return text.replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

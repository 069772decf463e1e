import { memoizeTexts } from '../../harness/common/memoize.ts'

/** One window of a rate header, its parameters as raw text. */
interface RateItem {
  readonly name: string
  readonly parameters: ReadonlyMap<string, string>
}

const parts = { ',': /(?:"(?:[^"\\]|\\.)*"|[^,"]|")+/g, ';': /(?:"(?:[^"\\]|\\.)*"|[^;"]|")+/g } as const

/** Several rules read the two headers of one response, and the policy is the same in all of them. */
const keptTexts = 64

/** Finds the windows of a rate header in any spelling that shows them: names as tokens or strings, any spacing. */
export const rateItems: (header: string) => readonly RateItem[] = memoizeTexts(
  (header) =>
    split(header, ',').map((item) => {
      const [name = '', ...parameters] = split(item, ';')
      return {
        name: name.replace(/^"(.*)"$/, '$1'),
        parameters: new Map(
          parameters.map((parameter) => {
            const [key = '', ...value] = parameter.split('=')
            return [key.trim(), value.join('=').trim()]
          }),
        ),
      }
    }),
  keptTexts,
)

/** The reason why the raw text of a parameter is not a count, a whole number from 0 on; null if it is one. */
export function countFault(raw: string | undefined): string | null {
  return lengthFault(raw) ?? (Number.isInteger(numberOf(raw)) ? null : 'not whole')
}

/** The reason why the raw text of a parameter is not a number of seconds, whole or not; null if it is one. */
export function lengthFault(raw: string | undefined): string | null {
  if (raw === undefined) return 'missing'
  const number = numberOf(raw)
  if (number === null) return 'no number'
  return number < 0 ? 'negative' : null
}

/** The number that a parameter shows; null if it shows none. */
export function numberOf(raw: string | undefined): number | null {
  return raw !== undefined && /^-?\d+(\.\d+)?$/.test(raw) ? Number(raw) : null
}

/** Parts between separators that stand outside quotes. */
function split(text: string, separator: keyof typeof parts): string[] {
  return (text.match(parts[separator]) ?? []).map((part) => part.trim()).filter((part) => part !== '')
}

/** A number at the end that may count, so that its neighbours may be issued too; signs may follow. */
const count = /(?:^[a-z]*|[^a-z0-9])(\d{1,9})(?=[^a-z0-9]*$)/i
/** The same at the beginning, such as in `12-eu`. */
const firstCount = /^[^a-z0-9]*(\d{1,9})(?![a-z0-9])/i

/** True for a number, perhaps with a word before it or a few signs and letters after it: two endpoints may issue the same id. */
export function mayCount(id: string): boolean {
  return /^[a-z]*[^a-z\d]*\d{1,9}(?:[^a-z\d].{0,8})?$/i.test(id)
}

/**
 * The text with its last letters and digits replaced by others of their kind, or with a much greater number at its end: of
 * the same form, but never issued.
 */
export function mutate(text: string): string {
  return count.test(text) ? increase(text, count) : replaceEnd(text)
}

/** The text with a much greater number, which no platform has counted to. */
function increase(text: string, number: RegExp): string {
  return text.replace(number, (found, digits: string) => found.slice(0, -digits.length) + String(9e9 + Number(digits)))
}

function replaceEnd(text: string): string {
  const isHex = /^[0-9a-f-]+$/i.test(text)
  let changes = 0
  return [...text]
    .reverse()
    .map((character) => {
      if (changes >= 4 || !/[a-z0-9]/i.test(character)) return character
      changes++
      if (/[0-9]/.test(character)) return String((Number(character) + 5) % 10)
      const base = character < 'a' ? 65 : 97
      return String.fromCharCode(base + ((character.charCodeAt(0) - base + 3) % (isHex ? 6 : 26)))
    })
    .reverse()
    .join('')
}

/** Digits, and letters of one case: the codes of some of these alphabets mean the same in the other case. */
const isCode = /^(?:[a-z\d]+|[A-Z\d]+|[\da-fA-F-]+)$/

/** Forms of a key that were never issued; empty or the key itself if there is no such form. */
export const nearKeys = {
  altered: mutate,
  /** Without its last letter or digit, and without what pads it. */
  shortened: (key) => likeTexts.shorter?.(key.replace(/[^a-z0-9]+$/i, '')) ?? '',
  recased: (key) =>
    isCode.test(key)
      ? ''
      : key.replace(/[a-z]/gi, (letter) => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase())),
} as const satisfies Readonly<Record<string, (key: string) => string>>

/** Texts like another one that were never issued, by a word for each; not all of them are of its form. */
export const likeTexts: Readonly<Record<string, (text: string) => string>> = {
  'another end': mutate,
  'another beginning': (text) =>
    firstCount.test(text) ? increase(text, firstCount) : text.replace(/[a-z0-9]/i, replaceEnd),
  longer: (text) => `${text}a7`,
  shorter: (text) => (text.length > 1 ? (count.test(text) ? mutate(text) : text).slice(0, -1) : mutate(text)),
  twice: (text) => (/^\d+$/.test(text) ? mutate(text) : text) + text,
}

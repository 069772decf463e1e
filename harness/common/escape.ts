/** Characters that nobody sees, or that control a terminal: those of control and direction, and what is no character. */
export const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\uFFFE\uFFFF]/gu

/** `\u{feff}`: a character by its code point. */
export function codePointEscape(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
}

/** JSON in lines, with each such character as an escape: JSON itself leaves most of them as they are. */
export function jsonText(value: object): string {
  const lines = JSON.stringify(value, null, 2).split('\n')
  return `${lines.map((line) => line.replace(unseen, jsonEscape)).join('\n')}\n`
}

/** `\ufeff`; two of them for a character beyond. */
function jsonEscape(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
}

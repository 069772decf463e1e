/** Characters that nobody sees, or that control a terminal: those of control and direction, and what is no character. */
export const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\uFFFE\uFFFF]/gu

/** `\u{feff}`: a character by its code point. */
export function codePointEscape(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
}

/** `\u{feff}`: a character by its code point. */
export function codePointEscape(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
}

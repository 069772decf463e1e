import { type List, parseList } from 'structured-headers'

/** A header as a structured-field list, read strictly; null where it is none. */
export function structuredList(text: string): List | null {
  try {
    return parseList(text)
  } catch {
    return null
  }
}

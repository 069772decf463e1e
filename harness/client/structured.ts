import { type List, parseList } from 'structured-headers'
import { memoizeTexts } from '../common/memoize.ts'

/** The pacer and several rules read the same few headers of a response. */
const keptTexts = 64

/** A header as a structured-field list, read strictly; null if it is not one. */
export const structuredList: (text: string) => List | null = memoizeTexts((text) => {
  try {
    return parseList(text)
  } catch {
    return null
  }
}, keptTexts)

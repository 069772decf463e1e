import { type List, parseList } from 'structured-headers'
import { rememberedTexts } from '../common/remembered.ts'

/** The pacer and several rules read the same few headers of an answer. */
const keptTexts = 64

/** A header as a structured-field list, read strictly; null if it is not one. */
export const structuredList: (text: string) => List | null = rememberedTexts((text) => {
  try {
    return parseList(text)
  } catch {
    return null
  }
}, keptTexts)

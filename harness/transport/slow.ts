import type { Target } from '../../target/types.ts'
import { lengthOf } from '../common/length.ts'

/** Real ms after which a command says what it waits for. */
const quietMs = 1_500

/** Waits for a response of a target, and says so if it takes a while. */
export async function sayIfSlow<T>(
  address: string,
  { tolerances: { answerMs } }: { readonly tolerances: Pick<Target['tolerances'], 'answerMs'> },
  response: Promise<T>,
  say: (line: string) => void,
): Promise<T> {
  const sentence = `waiting for a response from ${address}; a request may take ${lengthOf(answerMs)}`
  const timer = setTimeout(() => say(sentence), quietMs)
  try {
    return await response
  } finally {
    clearTimeout(timer)
  }
}

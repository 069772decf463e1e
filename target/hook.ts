import { resolveText } from './secrets.ts'
import type { Hook, PodStatus } from './types.ts'
import { addressOf, type Path, type Surroundings, take } from './values.ts'
import { wordsOf } from './words.ts'

/** The hook of a recipe: an address, a command line, or the words of a command. Faults are noted, not thrown. */
export function hookOf(given: string | readonly string[], status: PodStatus, around: Surroundings): Hook {
  const path = ['pods', 'statuses', status, 'hook']
  if (typeof given !== 'string') return commandOf(given, path, around)
  const text = take(resolveText(given, around.environment), path, around.fault)
  if (text === null) return { command: [] }
  const isSecret = text !== given
  // No key is sent to a hook, so plain http reveals nothing.
  if (/^https?:/.test(text)) {
    if (!isSecret) refusePart(given, path, around)
    const url = addressOf(text, true, path, around)
    return isSecret ? { url, secrets: [url] } : { url }
  }
  const words = wordsOf(text)
  if (words?.length === 0) around.fault(path, `${path.join('.')}: expected a command or an http address, got spaces`)
  if (words === null)
    around.fault(path, `${path.join('.')}: a quotation mark is not closed; close it, or write the words as a list`)
  if (isSecret) return { command: words ?? [], secrets: words ?? [] }
  return commandOf(words ?? [], path, around)
}

/** A variable inside an address or a word would be passed on literally: nothing expands it later. */
function refusePart(word: string, path: Path, { fault }: Surroundings): void {
  if (!word.includes('${')) return
  fault(
    path,
    `${path.join('.')}: \${NAME} must be a whole address or word; set a variable to all of it, or write $NAME for a shell`,
  )
}

function commandOf(words: readonly string[], path: Path, around: Surroundings): Hook {
  const command = words.map((word) => {
    const resolved = take(resolveText(word, around.environment), path, around.fault) ?? ''
    if (resolved === word) refusePart(word, path, around)
    return resolved
  })
  const secrets = command.filter((word, at) => word !== words[at])
  return secrets.length === 0 ? { command } : { command, secrets }
}

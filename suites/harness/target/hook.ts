import { resolveText } from './secrets.ts'
import type { Hook, PodStatus } from './types.ts'
import { addressOf, type Path, type Surroundings, take } from './values.ts'
import { wordsOf } from './words.ts'

/** The hook of a recipe: an address, a command line, or the words of a command. Faults are told, not thrown. */
export function hookOf(given: string | readonly string[], status: PodStatus, around: Surroundings): Hook {
  const path = ['pods', 'statuses', status, 'hook']
  if (typeof given !== 'string') return commandOf(given, path, around)
  const text = take(resolveText(given, around.environment), path, around.fault)
  if (text === null) return { command: [] }
  const isSecret = text !== given
  // No key is sent to a hook, so plain http shows nothing.
  if (/^https?:/.test(text)) {
    const url = addressOf(text, true, path, around)
    return isSecret ? { url, secrets: [url] } : { url }
  }
  const words = wordsOf(text)
  if (words?.length === 0) around.fault(path, `${path.join('.')}: expected a command or an http address, got spaces`)
  if (words === null) around.fault(path, `${path.join('.')}: a quotation mark has no end; write the words as a list`)
  if (isSecret) return { command: words ?? [], secrets: words ?? [] }
  return commandOf(words ?? [], path, around)
}

function commandOf(words: readonly string[], path: Path, { environment, fault }: Surroundings): Hook {
  const command = words.map((word) => take(resolveText(word, environment), path, fault) ?? '')
  const secrets = command.filter((word, at) => word !== words[at])
  return secrets.length === 0 ? { command } : { command, secrets }
}

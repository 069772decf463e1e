import { resolveText } from '../../../target/secrets.ts'
import type { Hook, PodStatus } from '../../../target/types.ts'
import { addressOf, type Path, type Surroundings, take } from '../../../target/values.ts'
import { markOf } from '../../record/redact.ts'

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

/** The words of a command line, split at spaces outside quotes; null if a quote is not closed. */
function wordsOf(line: string): readonly string[] | null {
  const words = line.match(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g) ?? []
  if (/["']/.test(line.replace(/"[^"]*"|'[^']*'/g, ''))) return null
  return words.map((word) => word.replace(/"([^"]*)"|'([^']*)'/g, (_, double, single) => double ?? single))
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

/** A hook for a record: each secret text is replaced by its mark. */
export function describeHook(status: string, hook: Hook | null): Hook | null {
  if (hook === null) return null
  const marks = new Map(secretTexts(status, hook).map(([name, text]) => [text, markOf(name)]))
  const shown = (text: string) => marks.get(text) ?? text
  return 'url' in hook ? { url: shown(hook.url) } : { command: hook.command.map(shown) }
}

/** The texts of a hook that came from the environment, and values in them, each with its name: `hook.ERROR`, `hook.ERROR.2`. */
export function secretTexts(status: string, hook: Hook | null): [name: string, text: string][] {
  const texts = hook?.secrets ?? []
  return [...new Set([...texts, ...texts.flatMap(valuesIn)])].map((text, at) => [
    `hook.${status}${at === 0 ? '' : `.${at + 1}`}`,
    text,
  ])
}

/**
 * The text after a `=`, a `:` or a blank, except the `//` of an address: the value of an option, of a connection string
 * or of JSON, the token of a header line, the password of an address; to the end of the text, to the next character that
 * ends a value, and to each before it that may end one or belong to it.
 */
function valuesIn(text: string): string[] {
  return [...text.matchAll(/(?<=[=:\s]["'[{(]*)(?!\/\/)[^=:\s"'[{(]/g)].flatMap(({ index }) => {
    const rest = text.slice(index)
    const value = rest.split(/[=:\s&@]/, 1).join('')
    return [rest, value, ...[...value.matchAll(/[;,"'#}\])]/g)].map((end) => value.slice(0, end.index))]
  })
}

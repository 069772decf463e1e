/** Keys that begin like this are published ones of the reference implementation. They open nothing else. */
export const examplePrefix = 'plumbline-example-'

/** A shorter one would be found by chance in every answer. */
const shortestKey = 8

export type Environment = Readonly<Record<string, string | undefined>>

/** A value that was read, or one sentence that says why there is none. Never repeats a secret. */
export type Resolved = { readonly value: string } | { readonly fault: string }

const reference = /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/

/** A key of the target file: `${NAME}` of the environment, or an example key of the reference. */
export function resolveSecret(text: string, environment: Environment): Resolved {
  if (text.startsWith(examplePrefix)) return { value: text }
  if (!reference.test(text)) {
    return { fault: `a key does not stand in the file: write \${NAME} and set that environment variable` }
  }
  const resolved = resolveText(text, environment)
  if ('value' in resolved && !/^[\x21-\x7e]+$/.test(resolved.value)) {
    return { fault: `environment variable ${nameIn(text)} holds a space or a character that no header may carry` }
  }
  if ('value' in resolved && resolved.value.length < shortestKey) {
    return { fault: `environment variable ${nameIn(text)} holds fewer than ${shortestKey} characters, which is no key` }
  }
  return resolved
}

/** A plain value, or one that is `${NAME}` of the environment as a whole. */
export function resolveText(text: string, environment: Environment): Resolved {
  const name = nameIn(text)
  if (name === null) return { value: text }
  const value = environment[name]
  if (value === undefined) return { fault: `environment variable ${name} is not set` }
  return value === '' ? { fault: `environment variable ${name} is empty` } : { value }
}

function nameIn(text: string): string | null {
  return reference.exec(text)?.[1] ?? null
}

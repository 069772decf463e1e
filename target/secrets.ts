/** Prefix of the published keys of the reference implementation. They open nothing else. */
export const examplePrefix = 'plumbline-example-'

/** A shorter one would be found by chance in every response. */
export const shortestSecret = 8

/** Names of variables and members that hold secrets; `accessId` is one of a bucket. */
export const looksSecret = /key|token|secret|password|credential|accessid/i

export type Environment = Readonly<Record<string, string | undefined>>

/** A value that was read, or a sentence that says why it could not be. Never repeats a secret. */
export type Resolved = { readonly value: string } | { readonly fault: string }

/** Text that is meant as a reference, right or wrong. */
const attempt = /^\$(\{[^{}]*\}?|[A-Za-z_]\w*)$/
const reference = /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/

/** A key of the target file: `${NAME}` of the environment, or an example key of the reference. */
export function resolveSecret(text: string, environment: Environment): Resolved {
  if (text.startsWith(examplePrefix)) return { value: text }
  if (!reference.test(text)) {
    return {
      fault: attempt.test(text)
        ? `write a variable as \${NAME}; a name has letters, digits and _, and does not begin with a digit`
        : `the key is written out; use \${NAME} and set that environment variable`,
    }
  }
  const resolved = resolveText(text, environment)
  if ('value' in resolved && !/^[\x21-\x7e]+$/.test(resolved.value)) {
    return { fault: `environment variable ${nameIn(text)} contains a space or a character that a header cannot carry` }
  }
  if ('value' in resolved && resolved.value.length < shortestSecret) {
    return {
      fault: `environment variable ${nameIn(text)} is shorter than ${shortestSecret} characters and cannot be an API key`,
    }
  }
  return resolved
}

/** A plain value, or the value of an environment variable if it is `${NAME}` as a whole. */
export function resolveText(text: string, environment: Environment): Resolved {
  const name = nameIn(text)
  if (name === null) return { value: text }
  const value = environment[name]
  if (value === undefined) return { fault: `environment variable ${name} is not set; set it and run again` }
  return value === '' ? { fault: `environment variable ${name} is empty; set it and run again` } : { value }
}

/** The variable that a text refers to as a whole; null if it is not `${NAME}`. */
export function nameIn(text: string): string | null {
  return reference.exec(text)?.[1] ?? null
}

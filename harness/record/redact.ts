/** Removes secrets from everything that is written; each becomes the stable mark `«key.NAME»`. */
export interface Redactor {
  text(value: string): string
  bytes(value: Uint8Array): Uint8Array
}

/** The mark of a key in every file; replay sends the marks instead of the keys. */
export function markOf(name: string): string {
  return `«${name}»`
}

/**
 * `secrets`: name to value, such as `key.full` to the token. Longer forms go first, so that no part of one remains.
 */
export function createRedactor(secrets: Readonly<Record<string, string>>): Redactor {
  const marks = new Map<string, string>()
  for (const [name, value] of Object.entries(secrets)) {
    if (value !== '') for (const form of forms(value)) if (!marks.has(form)) marks.set(form, markOf(name))
  }
  if (marks.size === 0) return { text: (value) => value, bytes: (value) => value }
  const longestFirst = [...marks.keys()].sort((a, b) => b.length - a.length)
  const pattern = new RegExp(longestFirst.map((form) => form.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')).join('|'), 'g')
  const text = (value: string) => value.replace(pattern, (form) => marks.get(form) ?? '')
  return {
    text,
    bytes(value) {
      const raw = Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('latin1')
      const clean = raw.replace(pattern, (form) => latin1(marks.get(form) ?? ''))
      return clean === raw ? value : Buffer.from(clean, 'latin1')
    },
  }
}

/** The forms of a secret in a response: plain, as in JSON, as in a URL, and as base64 at any offset. */
function forms(value: string): string[] {
  return [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value), ...encoded(value)]
}

/**
 * The base64 characters that depend on the secret alone, for each of its three offsets in groups of three bytes. Short
 * ones are left out because they would match everywhere.
 */
function encoded(value: string): string[] {
  const bytes = Buffer.from(value, 'utf8')
  return [0, 1, 2].flatMap((shift) => {
    const whole = Buffer.concat([Buffer.alloc(shift), bytes])
    const from = Math.ceil((shift * 8) / 6)
    const core = whole.toString('base64').slice(from, Math.floor((whole.length * 8) / 6))
    if (core.length < 10) return []
    return [...new Set([core, core.replaceAll('+', '-').replaceAll('/', '_')])]
  })
}

function latin1(mark: string): string {
  return Buffer.from(mark, 'utf8').toString('latin1')
}

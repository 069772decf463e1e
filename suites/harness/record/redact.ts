/** Takes secrets out of whatever is written; each becomes the stable mark `«key.NAME»`. */
export interface Redactor {
  text(value: string): string
  bytes(value: Uint8Array): Uint8Array
}

/** The mark that stands for a key in every file; replay sends the marks instead of the keys. */
export function markOf(name: string): string {
  return `«${name}»`
}

/** `secrets`: name to value, as `key.full` to the token. Longer values go first, so that no part of one survives. */
export function createRedactor(secrets: Readonly<Record<string, string>>): Redactor {
  const entries = Object.entries(secrets)
    .filter(([, value]) => value.length > 0)
    .flatMap(([name, value]) => forms(value).map((form) => ({ form, mark: markOf(name) })))
    .sort((a, b) => b.form.length - a.form.length)
  const text = (value: string): string => {
    let clean = value
    for (const { form, mark } of entries) if (clean.includes(form)) clean = clean.replaceAll(form, mark)
    return clean
  }
  return {
    text,
    bytes(value) {
      const raw = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
      if (!entries.some(({ form }) => raw.includes(form))) return value
      return Buffer.from(
        entries.reduce((clean, { form, mark }) => clean.replaceAll(form, latin1(mark)), raw.toString('latin1')),
        'latin1',
      )
    },
  }
}

/** How a secret may stand in an answer: as it is, as JSON writes it, as a URL carries it. */
function forms(value: string): string[] {
  return [...new Set([value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)])]
}

function latin1(mark: string): string {
  return Buffer.from(mark, 'utf8').toString('latin1')
}

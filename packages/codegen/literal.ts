const PLAIN_KEY = /^[A-Za-z_$][\w$]*$/

/** Prints plain data (what JSON can hold) as a TypeScript literal, two spaces a level, keys in the order given. */
export function literal(value: unknown, indent = ''): string {
  if (Array.isArray(value)) return list(value, indent)
  if (typeof value === 'object' && value !== null) return object(value as Record<string, unknown>, indent)
  return typeof value === 'string' ? quoted(value) : JSON.stringify(value)
}

/** A string in single quotes. */
export function quoted(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")
  return `'${escaped}'`
}

/** A union of string literals. */
export function union(names: readonly string[]): string {
  return names.map(quoted).join(' | ')
}

function list(values: readonly unknown[], indent: string): string {
  if (values.every((value) => typeof value !== 'object' || value === null)) {
    return `[${values.map((value) => literal(value)).join(', ')}]`
  }
  const inner = `${indent}  `
  return `[\n${values.map((value) => `${inner}${literal(value, inner)},\n`).join('')}${indent}]`
}

function object(fields: Record<string, unknown>, indent: string): string {
  const entries = Object.entries(fields)
  if (entries.length === 0) return '{}'
  const inner = `${indent}  `
  const lines = entries.map(([key, value]) => {
    const name = PLAIN_KEY.test(key) ? key : quoted(key)
    return `${inner}${name}: ${literal(value, inner)},\n`
  })
  return `{\n${lines.join('')}${indent}}`
}

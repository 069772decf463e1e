const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const

/** `500ms`, `2s`, `3m`, `1h` as milliseconds; null if the text is not a length of time with a unit. */
export function parseDuration(text: string): number | null {
  const match = /^((?:0|[1-9][0-9]*)(?:\.[0-9]+)?)(ms|s|m|h)$/.exec(text)
  if (match === null) return null
  return Math.round(Number(match[1]) * unitMs[match[2] as keyof typeof unitMs])
}

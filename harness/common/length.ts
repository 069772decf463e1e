/** A length of time as `850ms`, `20s`, `1m30s`, `2h05m`, `7d`. */
export function lengthOf(ms: number): string {
  if (ms < 1_000) return `${Math.ceil(ms)}ms`
  const seconds = Math.ceil(ms / 1000)
  if (seconds < 60) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return joined(minutes, 'm', seconds % 60, 's')
  const hours = Math.floor(minutes / 60)
  if (hours < 24) return joined(hours, 'h', minutes % 60, 'm')
  return joined(Math.floor(hours / 24), 'd', hours % 24, 'h')
}

function joined(whole: number, unit: string, rest: number, smaller: string): string {
  return rest === 0 ? `${whole}${unit}` : `${whole}${unit}${String(rest).padStart(2, '0')}${smaller}`
}

import type { Style } from '../style.ts'

const HOUR_MS = 3_600_000

/** A moment as RFC 3339 writes it, in one of the forms that it allows. */
export function renderTime(atMs: number, form: Style['dateTimes']): string {
  const text = new Date(atMs).toISOString()
  switch (form) {
    case 'milliseconds':
      return text
    case 'seconds':
      return `${text.slice(0, -5)}Z`
    case 'microseconds':
      return `${text.slice(0, -1)}000Z`
    case 'offset':
      return `${text.slice(0, -1)}+00:00`
    case 'elsewhere':
      return `${new Date(atMs + 2 * HOUR_MS).toISOString().slice(0, -1)}+02:00`
    case 'lower-case':
      return text.toLowerCase()
  }
}

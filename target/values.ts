import { isDeepStrictEqual } from 'node:util'
import { type Environment, type Resolved, resolveText } from './secrets.ts'

export type Path = readonly (string | number)[]

/** Input of normalising a target. */
export interface Surroundings {
  readonly environment: Environment
  /** Ids of the ledger; `known:` may name only these. */
  readonly ruleIds: readonly string[]
  /** The clauses of a rule; missing if those of `known:` are not to be checked. */
  readonly clausesOf?: ((rule: string) => readonly string[]) | undefined
  /** Notes one fault and its key path. */
  readonly fault: (path: Path, message: string) => void
}

/** The base address in a value of the file; empty after a fault, which is noted. */
export function addressOf(text: string, plainHttp: boolean, path: Path, { environment, fault }: Surroundings): string {
  const value = take(resolveText(text, environment), path, fault)
  return value === null ? '' : (take(readAddress(value, plainHttp, String(path[0])), path, fault) ?? '')
}

/** The value that was read; null after a fault, which is noted. */
export function take(resolved: Resolved, path: Path, fault: Surroundings['fault']): string | null {
  if ('value' in resolved) return resolved.value
  fault(path, `${path.join('.')}: ${resolved.fault}`)
  return null
}

/** The members that differ from those of a standard. */
export function unlike<T extends object>(value: T, standard: object): Partial<T> {
  const other = standard as Record<string, unknown>
  return Object.fromEntries(
    Object.entries(value).filter(([name, own]) => !isDeepStrictEqual(own, other[name])),
  ) as Partial<T>
}

/** A member unless it is empty. */
export function filled(name: string, value: object): Record<string, unknown> {
  return Object.keys(value).length === 0 ? {} : { [name]: value }
}

/** A base address without its trailing slash, or why it is invalid. Plain http is refused for other machines unless allowed. */
function readAddress(text: string, plainHttp: boolean, section: string): Resolved {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    // Before an @ there may be a password.
    const shown = JSON.stringify(text.replace(/^.*@/s, '…@'))
    const isOfHttp = /^https?:\/\//i.test(text)
    const expected = isOfHttp ? 'with a valid host and port' : 'that begins with http:// or https://'
    return { fault: `expected an address ${expected}, got ${shown}` }
  }
  if (url.username !== '' || url.password !== '')
    return { fault: 'expected an address without a user name or password' }
  if (/[?#]/.test(text)) return { fault: 'expected an address without a query or fragment' }
  if (url.protocol === 'http:' && !plainHttp && !isLoopback(url.hostname)) {
    return {
      fault: `http to ${url.hostname} would show the keys to the network: use https, or set ${section}.allowPlainHttp: true`,
    }
  }
  return { value: url.href.replace(/\/+$/, '') }
}

/** True if a host is this machine. */
export function isLoopback(hostname: string): boolean {
  return /^((.+\.)?localhost|\[::1\]|127(\.\d+){3})$/.test(hostname)
}

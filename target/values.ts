import { readAddress } from './address.ts'
import { type Environment, type Resolved, resolveText } from './secrets.ts'

export type Path = readonly (string | number)[]

/** What a normalised target is made with. */
export interface Surroundings {
  readonly environment: Environment
  /** Ids of the ledger; `known:` may name no other. */
  readonly ruleIds: readonly string[]
  /** Notes one fault and the key path that it lies at. */
  readonly fault: (path: Path, message: string) => void
}

/** The base address in a value of the file; empty where there is a fault, which is told. */
export function addressOf(text: string, plainHttp: boolean, path: Path, { environment, fault }: Surroundings): string {
  const value = take(resolveText(text, environment), path, fault)
  return value === null ? '' : (take(readAddress(value, { plainHttp }), path, fault) ?? '')
}

/** The value that was read; null where there is a fault, which is told. */
export function take(resolved: Resolved, path: Path, fault: Surroundings['fault']): string | null {
  if ('value' in resolved) return resolved.value
  fault(path, `${path.join('.')}: ${resolved.fault}`)
  return null
}

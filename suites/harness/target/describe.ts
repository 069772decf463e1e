import { markOf } from '../record/redact.ts'
import type { Target } from './types.ts'

/** The target as it may be written to a record: the same, with each key as its mark. */
export function describeTarget(target: Target): Target {
  return {
    ...target,
    keys: Object.fromEntries(Object.keys(target.keys).map((name) => [name, markOf(`key.${name}`)])),
  }
}

/** Names and values of a target's secrets, as the redactor takes them: `key.full` to the token. */
export function secretsOf(target: Target): Record<string, string> {
  return Object.fromEntries(Object.entries(target.keys).map(([name, value]) => [`key.${name}`, value]))
}

import { type OperationOf, operationsOf } from '../generated/operations.ts'
import { podActions } from '../generated/tables.ts'

const onPods: ReadonlySet<string> = new Set([...Object.keys(operationsOf('pods')), ...podActions])

/** The permissions about pods among those that a target file names: operations, and actions. */
export function podPermissions(names: readonly string[]): readonly string[] {
  return names.filter((name) => onPods.has(name))
}

/** The operations of endpoint management that permissions name, alone or as the whole plane. */
export function managementPermissions(names: readonly string[]): readonly OperationOf<'management'>[] {
  const all = Object.keys(operationsOf('management')) as OperationOf<'management'>[]
  return all.filter((operation) => names.includes('management') || names.includes(operation))
}

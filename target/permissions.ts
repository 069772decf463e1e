import { type OperationOf, operationsOf, type PlaneName } from '../generated/operations.ts'
import { podActions } from '../generated/tables.ts'

const onPods: ReadonlySet<string> = new Set([...Object.keys(operationsOf('pods')), ...podActions])

/** The permissions about pods among those that a target file names: operations, and actions. */
export function podPermissions(names: readonly string[]): readonly string[] {
  return names.filter((name) => onPods.has(name))
}

/** The operations of a plane that permissions name, alone or as the whole plane. */
export function permissionsOn<P extends PlaneName>(plane: P, names: readonly string[]): readonly OperationOf<P>[] {
  const all = Object.keys(operationsOf(plane)) as OperationOf<P>[]
  return all.filter((operation) => names.includes(plane) || names.includes(operation))
}

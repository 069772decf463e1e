import type { RuleId } from '../../generated/rules.ts'
import { memoizeTexts } from '../../harness/common/memoize.ts'
import type { Members } from '../../harness/exchange/read.ts'
import { membersRead, type Readers } from './readers.ts'
import { joined, type Shown } from './shapes.ts'
import type { Registered } from './table.ts'

/** The members of an object and their types. Its defects are derived from it in `proof/`. */
export interface ShapeTable {
  /** The name of these objects in `proof/tables/shapes.ts`, which knows how the reference shows them. */
  readonly of: string
  /** Registers an invariant over all of them. */
  readonly every: (id: RuleId, judge: (value: Members) => Shown | null) => void
  /** Members that may be missing. */
  readonly fields?: Readers
  readonly required?: Readers
  /** A further demand on an object. */
  readonly also?: (value: Members) => Shown | null
}

const registered: Registered<ShapeTable>[] = []

/** Every shape table, in the order of registration. */
export const shapeTables: readonly Registered<ShapeTable>[] = registered

/** Registers an invariant: each object has members of these types, a clause each. */
export function shape(id: RuleId, table: ShapeTable): void {
  registered.push({ id, table })
  table.every(id, (value) => {
    const also = table.also?.(value) ?? null
    return joined([shownOf(value, table), ...(also === null ? [] : [also])])
  })
}

/** The clauses that a value exercises, and its findings. */
export function shownOf(
  value: Members,
  { fields = {}, required = {} }: Pick<ShapeTable, 'fields' | 'required'>,
): Shown {
  const judged = Object.entries(fields).flatMap(([name, { judges }]) =>
    name in value && judges(value[name]) ? clauseOf(name) : [],
  )
  const findings = membersRead(value, required, fields).flatMap((mismatch) => {
    if (mismatch === null) return []
    const { path, expected, observed } = mismatch
    return [{ clause: clauseOf(path), expected: `${path}: ${expected}`, observed: `${path}: ${observed}` }]
  })
  const wrong = findings.map(({ clause }) => clause)
  return { exercised: [...new Set([...Object.keys(required).map(clauseOf), ...judged, ...wrong])], findings }
}

/** The clause of a member: `data-center-id` for `dataCenterId` and everything in it. */
export const clauseOf = memoizeTexts((path): string => {
  const [name = ''] = path.split(/[.[]/)
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}, 1_000)

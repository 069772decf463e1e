import { membersOf } from '../../harness/exchange/read.ts'
import type { Values } from '../../harness/variation/dimensions.ts'
import { type HeaderTable, headerClause } from '../../suites/shared/header-table.ts'
import { memberFaults } from '../../suites/shared/readers.ts'
import { clauseOf, type ShapeTable } from '../../suites/shared/shape-table.ts'
import type { Registered } from '../../suites/shared/table.ts'
import { answered, defect, type Json, onJson, onResponse, shows } from '../defects/tools.ts'
import type { Defect } from '../types.ts'
import { defectId } from './tools.ts'

/** Shows the objects of a shape with another member in some of the responses; `at` is the number of the defect. */
type Showing = (
  path: string,
  spoil: (shown: Json) => Json,
  at: number,
) => Pick<Defect, 'change' | 'wrap' | 'tour' | 'variation'>

/** Shows a pod with every member, in each status in which a member is shown wrong. */
const podTour = [
  'pods.create.cpu',
  'pods.action.exited.start',
  'pods.action.running.restart',
  'pods.patch.answer',
  'pods.patch.persistent-path',
] as const

/** Values that show members which a plain pod has not, by the beginning of their paths. */
const shownBy: readonly (readonly [path: string, variation: Values])[] = [
  ['network', { mount: 'network' }],
  ['globalNetworking', { fields: 'networked' }],
  ['ports', { fields: 'many' }],
  ['runtime.ports', { fields: 'many' }],
]

/** By the name of the shape. */
const showings: Readonly<Record<string, Showing>> = {
  pod: (path, spoil) => inPods(path, (shown) => (isShownWrong(shown, fieldOf(path)) ? spoil(shown) : shown)),
  mounts: (path, spoil) =>
    inPods(path, (shown) => {
      const value = membersOf(shown.mounts)
      return value === null || !isShownWrong(shown, 'mounts') ? shown : { ...shown, mounts: spoil(value) }
    }),
  problem(path, spoil, at) {
    // Only a failed validation has a list of errors.
    const of = fieldOf(path) === 'errors' ? 422 : oneOf(statuses.error, at)
    return { wrap: onJson(answered(of), spoil) }
  },
}

function inPods(path: string, change: (shown: Json) => Json): ReturnType<Showing> {
  const [, variation] = shownBy.find(([beginning]) => path.startsWith(beginning)) ?? []
  return { change: shows(change), tour: podTour, ...(variation !== undefined && { variation }) }
}

/** Statuses of which one defect concerns one, so that a rule has to look at every response. */
const statuses = { success: [204, 201, 200], error: [409, 401, 403, 404] } as const

/** The defects of a shape: each member has another type, is beyond each of its bounds, or is missing. */
export function shapeDefects({ id, table }: Registered<ShapeTable>): Defect[] {
  const { fields = {}, of, required = {} } = table
  const showing = showings[of]
  if (showing === undefined) throw new Error(`shapes of ${of} have no entry in proof/tables/shapes.ts`)
  return memberFaults(required, fields).map(({ name, at, observed, spoil }, count) => {
    const path = at.slice(1)
    return defect(defectId(id, name), id, clauseOf(path), {
      says: `A ${of} is shown with another ${path}: ${name}.`,
      observed: `${path}: ${observed}`,
      ...showing(path, (shown) => spoil(shown) as Json, count),
    })
  })
}

/** The defects of headers: each is missing, or has another value. */
export function headerDefects({ id, table }: Registered<HeaderTable>): Defect[] {
  return Object.entries(table.headers).flatMap(([name, { faultOf, wrong }], header) =>
    Object.entries(wrong).map(([word, value], count) =>
      defect(defectId(id, `${name} ${word}`), id, headerClause(name), {
        says: `A ${oneOf(statuses[table.on], header + count)} has ${value === null ? `no ${name}` : `the ${name} ${value}`}.`,
        observed: faultOf(value, name) ?? '',
        wrap: onResponse(answered(oneOf(statuses[table.on], header + count)), ({ headers }) => {
          if (value === null) headers.delete(name)
          else headers.set(name, value)
          return {}
        }),
      }),
    ),
  )
}

function oneOf(all: readonly number[], count: number): number {
  return all[count % all.length] ?? 200
}

/** The member of an object that a path leads through. */
function fieldOf(path: string): string {
  return path.split(/[.[]/)[0] ?? ''
}

/** Fields that a pod needs on its way into a status are wrong only after it has arrived. */
function isShownWrong(shown: Json, field: string): boolean {
  if (field === 'status') return shown.status === 'STARTING'
  if (field === 'runtime') return shown.status === 'RUNNING'
  return field in shown && (field === 'cpu' || shown.status === 'EXITED')
}

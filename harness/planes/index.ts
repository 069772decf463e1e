import type { PlaneSection, Target } from '../../target/types.ts'
import { areaOf } from '../common/areas.ts'
import { deploy } from './deploy/plane.ts'
import { lb } from './lb/plane.ts'
import { management } from './management/plane.ts'
import { document } from './openapi/plane.ts'
import type { Plane } from './plane.ts'
import { pods } from './pods/plane.ts'
import { probe } from './probe/plane.ts'
import { queue } from './queue/plane.ts'

const planes: Plane[] = [pods, queue, lb, management, deploy, document, probe]

/** All planes, in the order in which a run probes them. */
export function allPlanes(): readonly Plane[] {
  return planes
}

/** Adds a plane; the returned function removes it. Throws if there is one of that name. */
export function addPlane(plane: Plane): () => void {
  if (planes.some(({ name }) => name === plane.name)) throw new Error(`plane ${plane.name} is added twice`)
  planes.push(plane)
  return () => void planes.splice(planes.indexOf(plane), 1)
}

/** The plane of an operation. Throws if none has it. */
export function planeOfOperation(operation: string): Plane {
  return found(({ operations }) => Object.hasOwn(operations, operation), `operation ${operation}`)
}

/** True if the target may hold the response of an operation until time passes. */
export function mayBeHeld(operation: string): boolean {
  return planeOfOperation(operation).operations[operation]?.held === true
}

/** True for the name of a plane, which is also a need. */
export function isPlane(name: string): boolean {
  return allPlanes().some((plane) => plane.name === name)
}

export function planeNamed(name: string): Plane {
  return found((plane) => plane.name === name, name)
}

/**
 * The plane whose operation makes something, and the name of that in messages; null if the operation makes nothing.
 */
export function madeBy(operation: string): { readonly plane: Plane; readonly kind: string } | null {
  for (const plane of planes) {
    const kind = plane.creates?.create === operation ? plane.creates.kind : plane.submits?.[operation]
    if (kind !== undefined) return { plane, kind }
  }
  return null
}

/** The place of a rule among those that judge foundations, which begin first; Infinity for any other. */
export function foundationRank(rule: string): number {
  const place = planes.flatMap(({ foundations = [] }) => foundations).findIndex((one) => one.rule === rule)
  return place === -1 ? Number.POSITIVE_INFINITY : place
}

/** The plane that a rule is about; the pod API for areas that belong to none. */
export function planeOfRule(id: string, area = areaOf(id)): Plane {
  const subject = id.split('.')[1]
  return planes.find(({ name, areas }) => areas.includes(area) || name === subject) ?? pods
}

/** The section of a plane in a target; null if the target does not have the plane. */
export function sectionOf(target: Target, name: string): PlaneSection | null {
  return (target as unknown as Readonly<Record<string, PlaneSection | null | undefined>>)[name] ?? null
}

/** The addresses of the planes that a target has, each once. */
export function urlsOf(target: Target): string[] {
  return [...new Set(planes.flatMap(({ name }) => sectionOf(target, name)?.url ?? []))]
}

function found(is: (plane: Plane) => boolean, what: string): Plane {
  const plane = planes.find(is)
  if (plane === undefined) throw new Error(`no plane has ${what}; list its plane in harness/planes/index.ts`)
  return plane
}

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomFrom } from '../harness/common/random.ts'
import type { BrokenOffEvent, LoadFacts, PlanEvent, RunEvent } from '../harness/record/events.ts'
import { toTarget } from '../harness/record/read.ts'
import type { TakeUnrecorded } from '../harness/run/invariants.ts'
import { type Conducted, conductLoad, type Perform } from './conduct.ts'
import { judgementsOf } from './judgements.ts'
import { readRawPoints } from './k6/raw.ts'
import { DamagedLoad, LoadError } from './load-error.ts'
import { type LoadAction, loadActions } from './plan/types.ts'

/** Folder beside the record in which each plan has a folder. */
export const plansFolder = 'load'
export const rawName = 'raw.json.gz'

/** An event of a plan, driven or not. */
export type Driving = PlanEvent | BrokenOffEvent

/** The name of a plan's folder, counted from 1. */
export function planFolder(count: number, name: string): string {
  return `${String(count).padStart(2, '0')}-${name}`
}

/** The raw points of a plan as the record names them. */
export function pointsOf(dir: string, plan: string): PlanEvent['points'] {
  const file = `${plansFolder}/${plan}/${rawName}`
  const hash = createHash('sha256').update(readFileSync(join(dir, file)))
  return { file, digest: `sha256:${hash.digest('hex')}` }
}

/** Judges the load of a record in `dir` again, by its plans and their points. */
export async function replayLoad(dir: string, run: RunEvent, driven: readonly Driving[], takePoint?: TakeUnrecorded) {
  return judgementsOf(loadOf(run), await conductRecorded(dir, run, driven, takePoint))
}

/** The load of a run that has one. */
export function loadOf({ load }: RunEvent): LoadFacts {
  if (load === undefined) throw new Error('the run has no load')
  return load
}

/** The action on the pod of a load, drawn by the seed, or by the name of a run without one. */
export function actionOf({ run, seed }: Pick<RunEvent, 'run' | 'seed'>): LoadAction {
  const random = seed === null ? randomFrom(0, run) : randomFrom(seed, 'load')
  return loadActions[Math.floor(random() * loadActions.length)] ?? 'stop'
}

/** Conducts a load with the plans of a record, which are all that follow from its rules and points, and no others. */
export async function conductRecorded(
  dir: string,
  run: RunEvent,
  driven: readonly Driving[],
  takePoint: TakeUnrecorded = () => {},
): Promise<Conducted> {
  let count = 0
  const perform: Perform = async ({ name }) => {
    const event = driven[count++]
    const plan = planFolder(count, name)
    if (event?.plan !== plan) {
      throw new DamagedLoad(`the plan ${plan} follows from the record, which has ${nameOf(event)} in its place`)
    }
    if (event.type === 'broken-off') throw new LoadError(event.reason)
    const { requests, points: recorded, health, notes } = event
    const points = await readPoints(dir, plan)
    if (pointsOf(dir, plan).digest !== recorded.digest || points.length !== requests) {
      throw new DamagedLoad(`${plansFolder}/${plan}/${rawName} is not the file that the record names`)
    }
    return { points, notes, health }
  }
  const conducted = await conductLoad({
    target: toTarget(run),
    load: loadOf(run),
    action: actionOf(run),
    perform,
    takePoint,
  })
  const isDamaged = [...conducted.brokenOff.values()].some(({ verdict }) => verdict === 'broken')
  if (isDamaged || count >= driven.length) return conducted
  const surplus = {
    verdict: 'broken',
    reason: `nothing in the record leads to its plan ${nameOf(driven[count])}`,
  } as const
  return { ...conducted, brokenOff: new Map([...conducted.brokenOff, ['queue', surplus], ['pods', surplus]]) }
}

async function readPoints(dir: string, plan: string) {
  try {
    return (await readRawPoints(join(dir, plansFolder, plan, rawName))).points
  } catch (error) {
    if (error instanceof LoadError) throw new DamagedLoad(`${plansFolder}/${plan}/${rawName} cannot be read to its end`)
    throw error
  }
}

function nameOf(event: Driving | undefined): string {
  if (event === undefined) return 'nothing'
  return /^\d+-[\w-]+$/.test(event.plan) ? event.plan : 'another one'
}

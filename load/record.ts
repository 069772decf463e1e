import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomFrom } from '../harness/common/random.ts'
import { canonical } from '../harness/exchange/read.ts'
import type { BrokenOffEvent, LoadFacts, PlanEvent, RunEvent } from '../harness/record/events.ts'
import { toTarget } from '../harness/record/read.ts'
import type { TakeUnrecorded } from '../harness/run/invariants.ts'
import { type Conducted, conductLoad, type Driven, type Perform } from './conduct.ts'
import { judgementsOf } from './judgements.ts'
import { DamagedLoad, LoadError } from './load-error.ts'
import { type MachinePoints, readMachines } from './machines.ts'
import { perSecondOf } from './per-second.ts'
import { type LoadAction, loadActions, type Plan } from './plan/types.ts'
import type { Step } from './queue/steps.ts'

/** Folder beside the record in which each plan has a folder. */
export const plansFolder = 'load'
export const rawName = 'raw.json.gz'
/** The raw points of one of several machines. */
const rawNameOfMachine = /^raw-\d+\.json\.gz$/

/** An event of a plan, driven or not. */
export type Driving = PlanEvent | BrokenOffEvent

/** The name of a plan's folder, counted from 1. */
export function planFolder(count: number, name: string): string {
  return `${String(count).padStart(2, '0')}-${name}`
}

/** The raw points of a plan as the record names them; the digest of several files is that of their bytes in order. */
export function pointsOf(dir: string, plan: string): PlanEvent['points'] {
  const names = rawNamesOf(dir, plan)
  const hash = createHash('sha256')
  for (const name of names) hash.update(readFileSync(join(dir, plansFolder, plan, name)))
  return { file: rawPathOf(dir, plan), digest: `sha256:${hash.digest('hex')}` }
}

/** The files with the raw points of a plan: one of this machine, or one of each machine. */
function rawNamesOf(dir: string, plan: string): readonly string[] {
  const folder = join(dir, plansFolder, plan)
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => rawNameOfMachine.test(name)) : []
  return names.length === 0 ? [rawName] : names.sort()
}

/** The event of a plan that was driven, with its points in the folder `plan` of the record. */
export function planEventOf(dir: string, plan: string, planned: Plan, driven: Driven): PlanEvent {
  const { points, health, notes, isBeside } = driven
  return {
    ...{ type: 'plan', plan, points: pointsOf(dir, plan), requests: points.length, health, notes },
    ...(isBeside === true && { beside: true }),
    perSecond: perSecondOf(points, planned),
  }
}

function rawPathOf(dir: string, plan: string): string {
  const [first = rawName, second] = rawNamesOf(dir, plan)
  return `${plansFolder}/${plan}/${second === undefined ? first : 'raw-*.json.gz'}`
}

/** The raw points of a plan in a record, those of several machines by the clock of the target. */
export function readPlan(dir: string, plan: string): Promise<MachinePoints> {
  return readMachines(rawNamesOf(dir, plan).map((name) => join(dir, plansFolder, plan, name)))
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
  let brokenOff: LoadError | null = null
  // Plans that were driven beside each other are in the order of their ends.
  const unread = new Set(driven)
  const readNext = async ({ name, plan: planned }: Step): Promise<Driven> => {
    const plan = planFolder(++count, name)
    const event = driven.find((one) => one.plan === plan)
    if (event === undefined && brokenOff !== null) throw brokenOff
    if (event === undefined) {
      throw new DamagedLoad(`the plan ${plan} follows from the record, which does not have it`)
    }
    unread.delete(event)
    if (event.type === 'broken-off') {
      brokenOff = new LoadError(event.reason)
      throw brokenOff
    }
    const { health, notes, beside: isBeside = false } = event
    const read = { ...(await readPoints(dir, plan)), health, notes, isBeside }
    const { perSecond, ...given } = planEventOf(dir, plan, planned, read)
    if (canonical({ ...given, ...(event.perSecond !== undefined && { perSecond }) }) !== canonical(event)) {
      throw new DamagedLoad(
        given.points.digest === event.points.digest
          ? `the record says of ${plan} what its points do not give`
          : `${given.points.file} is not the file that the record names`,
      )
    }
    return read
  }
  const perform: Perform = (batch, done) =>
    Promise.allSettled(batch.map(async (step) => done(step, await readNext(step))))
  const conducted = await conductLoad({
    target: toTarget(run),
    load: loadOf(run),
    action: actionOf(run),
    perform,
    takePoint,
  })
  const isDamaged = [...conducted.brokenOff.values()].some(({ verdict }) => verdict === 'broken')
  const [first] = unread
  if (isDamaged || first === undefined) return conducted
  const surplus = { verdict: 'broken', reason: `nothing in the record leads to its plan ${nameOf(first)}` } as const
  return { ...conducted, brokenOff: new Map([...conducted.brokenOff, ['queue', surplus], ['pods', surplus]]) }
}

async function readPoints(dir: string, plan: string) {
  try {
    return await readPlan(dir, plan)
  } catch (error) {
    if (error instanceof LoadError) throw new DamagedLoad(`${rawPathOf(dir, plan)} cannot be read to its end`)
    throw error
  }
}

function nameOf({ plan }: Driving): string {
  return /^\d+-[\w-]+$/.test(plan) ? plan : 'of another name'
}

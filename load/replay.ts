import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { membersOf } from '../harness/exchange/read.ts'
import { keptRule, keptVerdict } from '../results/kept.ts'
import type { Target } from '../target/types.ts'
import type { LoadVerdict } from './analyse/verdict.ts'
import { type Driven, type Health, type Judged, judgeStep } from './judge-step.ts'
import { readRawPoints } from './k6/raw.ts'
import { LoadError } from './load-error.ts'
import { podSteps } from './pods/steps.ts'
import { beforeSmoke, type LoadScope, planAfterSmoke, readSmoke, type Undecided } from './queue/after-smoke.ts'
import { type Step, smokeSteps } from './queue/steps.ts'
import { digestOf, type LoadRecord, planFolder, plansFolder, rawName, verdictsName, verdictsText } from './record.ts'

export interface ReplayedLoad {
  /** The plans as their raw points show them. */
  readonly judged: readonly Judged[]
  readonly undecided: Undecided
  /** Where that is not what was kept: one sentence each, which names plan and rule. */
  readonly differences: readonly string[]
}

export interface ReplayLoadOptions {
  readonly record: LoadRecord
  /** The target of the record. */
  readonly target: Target
  /** The rules that are selected and claimed. */
  readonly rules: ReadonlySet<string>
}

/** What was kept of a plan beside its raw points. */
interface Kept {
  readonly text: string
  readonly raw: unknown
  readonly health: readonly Health[]
  readonly notes: readonly string[]
  readonly plan: unknown
  readonly verdicts: readonly Partial<LoadVerdict>[]
}

/**
 * Judges the plans of a load again from the raw points below `dir`. Which plans there are and their verdicts are derived,
 * and compared with what was kept byte for byte. They follow from the raw points and from what no raw point shows, which
 * is taken as it was kept: the answers of /health, the first answer of the pod API, the scale of the windows, and why a
 * load ended early. Of a load that ended by itself no plan may be missing.
 */
export async function replayLoad(dir: string, { record, target, rules }: ReplayLoadOptions): Promise<ReplayedLoad> {
  const { queue } = target
  const scope: LoadScope | null = queue === null ? null : { queue, rules, windowScale: record.windowScale }
  const judged: Judged[] = []
  const differences: string[] = []
  const unread = [...record.plans]
  const isWhole = record.brokenOff === null && record.stopped === null
  let taken = 0
  const take = async (steps: readonly Step[]): Promise<void> => {
    for (const step of steps) {
      const name = unread.shift()
      const due = planFolder(++taken, step.name)
      if (name === undefined) {
        if (isWhole) differences.push(`${plansFolder}/${due} is missing`)
        continue
      }
      const place = `${plansFolder}/${name}`
      if (name !== due) {
        differences.push(`${place} was driven where ${plansFolder}/${due} follows from what came before it`)
        continue
      }
      const folder = join(dir, place)
      try {
        const { kept, driven } = await readPlan(folder)
        const again = judgeStep({ ...driven, step, rules, queue, health: kept.health })
        judged.push(again)
        if (verdictsText(again, folder) !== kept.text) differences.push(...differencesOf(again, kept, folder, place))
      } catch (error) {
        if (!(error instanceof LoadError)) throw error
        differences.push(`${place}: ${error.message}`)
      }
    }
  }
  let undecided: Undecided = new Map()
  if (record.kind === 'pods') await take(record.seen === null ? [] : podSteps(rules, record.seen))
  else if (scope !== null) {
    await take(smokeSteps(beforeSmoke(scope)))
    const after = planAfterSmoke(readSmoke(judged, scope), scope)
    await take(after.steps)
    // A load that ended early has not come to say what cannot be decided.
    if (isWhole) undecided = after.undecided
  }
  differences.push(...unread.map((name) => `${plansFolder}/${name} follows from nothing that came before it`))
  return { judged, undecided, differences }
}

async function readPlan(folder: string): Promise<{ readonly kept: Kept; readonly driven: Driven }> {
  const kept = readKept(join(folder, verdictsName))
  const { points } = await readRawPoints(join(folder, rawName))
  return { kept, driven: { points, notes: kept.notes } }
}

function readKept(file: string): Kept {
  try {
    const text = readFileSync(file, 'utf8')
    const { raw, health, notes, plan, verdicts } = membersOf(JSON.parse(text)) ?? {}
    if (![health, notes, verdicts].every(Array.isArray)) throw new Error('a member is missing')
    return { text, raw, health, notes, plan, verdicts } as Kept
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new LoadError(`${verdictsName} cannot be read (${reason})`)
  }
}

function differencesOf({ step, verdicts }: Judged, kept: Kept, folder: string, place: string): string[] {
  const found: string[] = []
  if (kept.raw !== digestOf(join(folder, rawName))) found.push(`${place}: ${rawName} is not the file that was judged`)
  if (JSON.stringify(kept.plan) !== JSON.stringify(step.plan)) {
    found.push(`${place}: the plan that was kept is not the one that follows from the record`)
  }
  const rules = new Set([...verdicts, ...kept.verdicts].map(({ rule }) => rule))
  for (const rule of rules) {
    const now = verdicts.find((one) => one.rule === rule)
    const then = kept.verdicts.find((one) => one.rule === rule)
    if (JSON.stringify(now) === JSON.stringify(then)) continue
    const past = then === undefined ? 'nothing' : `${keptVerdict(then.verdict)} (${JSON.stringify(then.sentence)})`
    const present = now === undefined ? 'nothing' : `${now.verdict} (${now.sentence})`
    found.push(`${place}: ${keptRule(rule)} was kept as ${past}, and the raw points show ${present}`)
  }
  return found.length > 0 ? found : [`${place}: ${verdictsName} has other bytes than the record gives`]
}

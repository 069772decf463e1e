import type { DefectResult, Mismatch } from './compare.ts'
import type { RuleClause, Unproven } from './coverage.ts'
import type { Missed } from './draw-counts.ts'
import type { FalseExcuse } from './excuses.ts'
import type { Judged } from './judged.ts'
import { firstSeeds } from './seeds-that-find.ts'

/** The effect of one defect on all rules. */
export interface MatrixRow {
  /** Of the defect. */
  readonly id: string
  /** The rule of the defect. */
  readonly rule: string
  /** Failed rules of other subjects than the rule of the defect. */
  readonly unrelated: readonly string[]
  /** Rules of other subjects fail, and the rule of the defect does not, although no drawn value is needed. */
  readonly isMisattributed: boolean
  /** Rules that failed on it. */
  readonly failed: readonly string[]
  /** Rules that crashed on it: always a fault of the harness. */
  readonly broken: readonly string[]
  /** Rules that it left without a verdict, and why. */
  readonly blocked: readonly Undecided[]
  readonly inconclusive: readonly Undecided[]
}

export interface Undecided {
  readonly rule: string
  readonly reason: string
}

export interface ProofResult {
  readonly defects: readonly DefectResult[]
  readonly latitudes: Judged['latitudes']
  readonly reference: { readonly failed: readonly Mismatch[] }
  /** Rules that no defect breaks, of those that `only` takes. */
  readonly withoutDefect: readonly string[]
  /** Clauses that no defect kills, of the rules that `only` takes. */
  readonly unkilledClauses: readonly RuleClause[]
  /** Defects whose rule has no such clause. */
  readonly unknownClauses: readonly string[]
  /** Of the rules that `only` takes. */
  readonly unproven: readonly Unproven[]
  /** Rules that are blocked by one that holds on the same instance. */
  readonly falseExcuses: readonly FalseExcuse[]
  /** Values that the first seed does not draw; empty unless everything is proven. */
  readonly undrawn: readonly Missed[]
  /** A row for each defect; null unless asked for. */
  readonly matrix: readonly MatrixRow[] | null
  /** True if there are no faults. */
  readonly proven: boolean
}

/** The faults that a whole proof found, one sentence each. */
export function proofFaults(result: Omit<ProofResult, 'proven'>): string[] {
  return [
    ...result.defects
      .filter(({ killed }) => !killed)
      .map(
        ({ id, rule, clause, expected, observed }) =>
          `defect ${id} is not found by ${rule} in its clause ${clause}: expected "${expected}", observed "${observed}"`,
      ),
    ...result.defects
      .filter(({ seed }) => seed === null)
      .map(({ id, rule }) => `no seed from 1 to ${firstSeeds.length} makes ${rule} find defect ${id}`),
    ...result.reference.failed.map(
      ({ rule, seen, reason }) => `${rule} does not pass on the reference: ${seen}${because(reason)}`,
    ),
    ...result.latitudes.flatMap(({ id, failed }) =>
      failed.map(
        ({ rule, expected, seen, reason }) =>
          `on latitude ${id}, ${rule} should be ${expected} and is ${seen}${because(reason)}`,
      ),
    ),
    ...result.withoutDefect.map((rule) => `no defect breaks ${rule}; add one for each of its clauses`),
    ...result.unkilledClauses.map(({ rule, clause }) => `no defect breaks clause ${clause} of ${rule}; add one`),
    ...result.unknownClauses.map((id) => `defect ${id} names a clause that its rule does not have`),
    ...result.unproven.map(({ rule, reading }) =>
      reading === null
        ? `${rule} is open and records no reading`
        : `${rule} records the same ${reading} on the reference and every latitude: no latitude shows that it can differ`,
    ),
    ...result.falseExcuses.map(
      ({ on, rule, by, reason }) => `on ${on}, ${rule} is blocked by ${by}, which passes there${because(reason)}`,
    ),
    ...result.undrawn.map(missedSentence),
    ...(result.matrix ?? []).flatMap(({ id, broken }) =>
      broken.map((rule) => `${rule} crashes on defect ${id}: no response may crash a rule`),
    ),
  ]
}

/** A value that no rule draws, in words. */
export function missedSentence({ seed, area, dimension, values }: Missed): string {
  return `with seed ${seed} no rule of ${area} draws ${dimension}: ${values.join(', ')}`
}

function because(reason: string | null): string {
  return reason === null ? '' : ` (${reason})`
}

import { literal, type Output, union, withHeader } from './header.ts'
import type { Inputs } from './inputs.ts'
import { readLedger, ruleSchema } from './ledger.ts'

/** rules.ts: the ledger as data, and the union of its ids. */
export function generateRules({ rules, headings }: Inputs): Output {
  const rows = readLedger(rules, headings)
  const { profile, level, basis } = ruleSchema.properties
  const body = `/** Every profile; not each has a rule yet. */
export const ruleProfiles = ${literal(profile.enum)} as const
export type RuleProfile = (typeof ruleProfiles)[number]
export type RuleLevel = ${union(level.enum)}
export type RuleBasis = ${union(basis.enum)}

/** One row of the ledger. \`wait\` is a number and a unit (s, m, h, d) on the clock of the target. */
export interface RuleRow {
  readonly id: string
  readonly area: string
  readonly profile: RuleProfile
  readonly level: RuleLevel
  readonly basis: RuleBasis
  readonly source: string
  readonly says: string
  readonly needs: readonly string[]
  /** Needs of parts of the rule: where the target does not offer one, the rest of the rule is judged. */
  readonly parts: readonly string[]
  readonly wait: string | null
  readonly judged: string | null
}

export type RuleId = ${union(rows.map(({ id }) => id))}

/** Values that rows do not repeat. */
const usual = ${literal(usual)} as const

/** A row whose id is one of the ledger. */
export type Rule = RuleRow & { readonly id: RuleId }

/** Rows without the usual values. */
const shortRows: readonly (Omit<Rule, keyof typeof usual> & Partial<Rule>)[] = ${literal(rows.map(withoutUsual))}

export const rules: readonly Rule[] = shortRows.map((row) => {
  // Members in the order of RuleRow.
  const { id, area, profile, level, basis, source, says, ...more } = { ...usual, ...row }
  return { id, area, profile, level, basis, source, says, ...more }
})

export const ruleById: ReadonlyMap<RuleId, Rule> = new Map<RuleId, Rule>(rules.map((row) => [row.id, row]))
`
  return { name: 'rules.ts', text: withHeader(body, [...rules.map(({ text }) => text), headings.text]) }
}

/** The package is kept small: half of the members of rows are these. */
const usual = {
  profile: 'core',
  level: 'must',
  basis: 'stated',
  needs: [],
  parts: [],
  wait: null,
  judged: null,
}

function withoutUsual(row: object): object {
  const isUsual = (name: string, value: unknown) =>
    JSON.stringify(value) === JSON.stringify(usual[name as keyof typeof usual])
  return Object.fromEntries(Object.entries(row).filter(([name, value]) => !isUsual(name, value)))
}

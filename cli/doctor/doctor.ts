import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { rules as ledger } from '../../generated/rules.ts'
import { claimOf, needsOf } from '../../harness/claims/claims.ts'
import { allNeeds, isGiven } from '../../harness/claims/needs.ts'
import { allPlanes, isPlane, sectionOf } from '../../harness/planes/index.ts'
import { embed } from '../../proof/instance.ts'
import type { Target } from '../../target/types.ts'
import { parseTarget } from '../../target-file/load.ts'
import { exitCodes } from '../../verdicts/exit-codes.ts'
import { refusalBefore } from '../shared/ask.ts'
import { UsageError } from '../shared/errors.ts'
import { documentOf } from '../shared/offers/additions.ts'
import { addOffers, needsWithin, offersOf, warningsAbout } from '../shared/offers/offers.ts'
import type * as commands from '../shared/options.ts'
import { readTarget, withTarget } from '../shared/target.ts'
import type { Terminal } from '../shared/terminal.ts'

type Options = commands.OptionsOf<typeof commands.doctor>

/**
 * Shows what a target file claims, which rules that opens, and what to add. Sends nothing, unless `--fix` asks the target and
 * adds what was seen.
 */
export async function doctor({ fix, ...options }: Options, terminal: Terminal): Promise<number> {
  const { target: name } = withTarget(options, terminal)
  if (fix && name === undefined) throw new UsageError('--fix changes a target file; the built-in reference has none')
  const code = fix && name !== undefined ? await repair(name, terminal) : 0
  if (code !== 0 && code !== exitCodes.incomplete) return code
  const target = name === undefined ? embed().target : await readTarget(name, terminal)
  for (const line of diagnose(target)) terminal.out(line)
  if (name !== undefined && !fix) terminal.out('nothing was sent; doctor --fix asks the target and adds what it sees')
  return code
}

/** Adds to a target file what its target shows. Returns the exit code. */
async function repair(name: string, terminal: Terminal): Promise<number> {
  const target = await readTarget(name, terminal)
  const refusal = await refusalBefore(target, () => true, 'doctor', terminal.err)
  if (refusal !== null) {
    terminal.err(`plumbline: ${refusal.message}`)
    return refusal.exit
  }
  const document = documentOf(readFileSync(resolve(terminal.cwd, name), 'utf8'))
  const offers = await offersOf(target, terminal, 'doctor')
  const lines = addOffers(document, offers, (need) => !isGiven(target, need))
  const fixed = document.toString({ lineWidth: 0 })
  parseTarget(fixed, { file: name, environment: terminal.environment })
  if (lines.length > 0) writeFileSync(resolve(terminal.cwd, name), fixed)
  for (const line of lines) terminal.err(`${name}: ${line}`)
  if (lines.length === 0) terminal.err(`${name}: nothing to add was seen`)
  const { planes, defaults } = warningsAbout(target, offers)
  for (const warning of [...planes, ...defaults]) terminal.err(`${name}: ${warning}`)
  return planes.length === 0 ? 0 : exitCodes.incomplete
}

/** The lines of the diagnosis. */
export function diagnose(target: Target): string[] {
  const rows = needsWithin(target).map((need): Row => {
    const claim = claimOf(target, need)
    const { says = '', line = null } = allNeeds()[need] ?? {}
    const rules = affected(target, need)
    if (claim === 'given') return [need, 'claimed', rules, says]
    if (claim !== 'unclaimed') return [need, 'absent', rules, claim.absent]
    return [need, 'unclaimed', rules, line === null ? says : `${says}; add ${line}`]
  })
  const states = ['claimed', 'absent', 'unclaimed']
  const sorted = rows.sort((a, b) => states.indexOf(a[1]) - states.indexOf(b[1]))
  const isUnclaimed = (need: string) => claimOf(target, need) === 'unclaimed'
  const out = ledger.filter((row) => needsOf(row).some(isUnclaimed))
  const isJudged = (row: (typeof ledger)[number]) => needsOf(row).every((need) => claimOf(target, need) === 'given')
  const inPart = ledger.filter((row) => isJudged(row) && row.parts.some(isUnclaimed)).length
  return [
    `${[`${target.name}:`, ...addresses(target)].join(' ')}, clock ${target.clock === 'real' ? 'real' : 'controlled'}`,
    ...table([['capability', 'state', 'rules', 'meaning, and the line to add'], ...sorted]),
    ...(rows.some(([, state]) => state === 'unclaimed')
      ? [
          'If the target does not have a capability, add it below absent: with the reason, such as volume: not offered.',
          'The column rules is how many a capability opens, + those of which it opens a part.',
        ]
      : []),
    out.length === 0
      ? `all ${ledger.length} rules can be judged or are not applicable${inPart === 0 ? '' : `, ${inPart} of them in part`}`
      : `${out.length} of ${ledger.length} rules ${out.length === 1 ? 'is' : 'are'} left out as unclaimed` +
        (inPart === 0 ? '' : `, and a part of ${inPart} more`),
  ]
}

type Row = readonly [capability: string, state: string, rules: string, rest: string]

/** Rows with their columns aligned; the last one is as long as it needs to be. */
function table(rows: readonly Row[]): string[] {
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
}

/** Each plane of the target with its address: `pods https://HOST`. */
function addresses(target: Target): string[] {
  return allPlanes().flatMap(({ name }) => {
    const section = sectionOf(target, name)
    return section === null ? [] : [section.url === null ? name : `${name} ${section.url}`]
  })
}

/** Number of rules that need it, without those that another plane leaves out; those that need it in part follow after `+`. */
function affected(target: Target, need: string): string {
  const isOther = (one: string) => isPlane(one) && one !== need && claimOf(target, one) !== 'given'
  const rules = ledger.filter((row) => needsOf(row).includes(need) && !needsOf(row).some(isOther)).length
  const parts = ledger.filter((row) => row.parts.some((part) => part === need)).length
  return `${rules}${parts === 0 ? '' : `+${parts}`}`
}

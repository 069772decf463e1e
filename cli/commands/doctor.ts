import { resolve } from 'node:path'
import { rules as ledger } from '../../generated/rules.ts'
import { embed } from '../../proof/instance.ts'
import { claimOf, needsOf } from '../../suites/harness/target/claims.ts'
import { loadTarget } from '../../suites/harness/target/load.ts'
import { needs } from '../../suites/harness/target/needs.ts'
import type { Target } from '../../suites/harness/target/types.ts'
import type { Terminal } from '../terminal.ts'

export interface DoctorOptions {
  readonly target?: string
}

/** Says what a target file claims, what it leaves open, which rules that leaves out, and what to add. Sends nothing. */
export async function doctor(options: DoctorOptions, terminal: Terminal): Promise<number> {
  const target =
    options.target === undefined
      ? embed().target
      : loadTarget(resolve(terminal.cwd, options.target), terminal.environment)
  for (const line of diagnose(target)) terminal.out(line)
  return 0
}

/** The lines of the diagnosis. */
export function diagnose(target: Target): string[] {
  const asked = [...new Set(ledger.flatMap((row): readonly string[] => needsOf(row)))].sort()
  const groups = { given: [] as string[], absent: [] as string[], unclaimed: [] as string[] }
  for (const need of asked) {
    const claim = claimOf(target, need)
    if (claim === 'given') groups.given.push(`  ${need}: ${needs[need]?.says ?? ''}`)
    else if (claim === 'unclaimed') groups.unclaimed.push(...unclaimed(need))
    else groups.absent.push(`  ${need}: ${claim.absent} (${rulesWith(need).length} rules not applicable)`)
  }
  const out = ledger.filter((row) => needsOf(row).some((need) => claimOf(target, need) === 'unclaimed'))
  return [
    `${target.name}: ${target.pods?.url ?? 'no pod API'}, clock ${target.clock === 'real' ? 'real' : 'controlled'}`,
    ...section('claimed', groups.given),
    ...section('declared absent', groups.absent),
    ...section('unclaimed', groups.unclaimed),
    out.length === 0
      ? `all ${ledger.length} rules can be judged or are not applicable`
      : `${out.length} of ${ledger.length} rules are left out as unclaimed`,
  ]
}

function unclaimed(need: string): string[] {
  const { says = '', line = null } = needs[need] ?? {}
  const out = rulesWith(need)
  return [
    `  ${need}: ${says}`,
    `    leaves out ${out.length === 1 ? '1 rule' : `${out.length} rules`}: ${out.join(', ')}`,
    ...(line === null ? [] : [`    to claim it, add: ${line}`]),
    `    where there is none, add: absent: {${need}: REASON}`,
  ]
}

function rulesWith(need: string): string[] {
  return ledger.filter((row) => needsOf(row).includes(need)).map(({ id }) => id)
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`${title}:`, ...lines]
}

import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pluralize } from '../harness/common/pluralize.ts'
import { bodyText } from '../suites/fuzz/cases.ts'
import { type FuzzFinding, findingSaid, groupsOf, timesOf } from '../suites/fuzz/findings.ts'
import { againCommand, curlOf } from './fuzz-curl.ts'
import { type FuzzRun, type OpenTarget, openReference, replayOn } from './fuzzing.ts'
import type { Terminal } from './terminal.ts'

/** Ways to one finding that are printed. */
const shownCases = 5

export interface Reported {
  readonly open: OpenTarget
  readonly seed: number
  readonly options: { readonly target?: string; readonly json?: string }
  readonly terminal: Terminal
  readonly seconds: number
}

/** Prints the findings of a run, and writes them to a file if requested. */
export async function report(run: FuzzRun, { open, seed, options, terminal, seconds }: Reported): Promise<void> {
  const { out, err, cwd } = terminal
  const groups = groupsOf(run.findings)
  for (const [at, group] of groups.entries()) {
    const [finding] = group
    if (finding === undefined) continue
    const { operation, expected, observed } = finding
    out(`${at + 1}. ${operation}: ${observed}, ${times(timesOf(group))}`)
    out(`   expected: ${expected}`)
    out('   where:')
    for (const each of group.slice(0, shownCases)) out(`   - ${saidOf(each)}, ${times(each.count)}`)
    if (group.length > shownCases) out(`   - and ${group.length - shownCases} more; --json has all`)
    for (const line of bodyLines(finding.cases)) out(`   ${line}`)
    if (finding.doubt === null) {
      out(`   reference: ${await referenceAnswer(open, finding)}`)
      for (const line of curlOf(open.target, finding)) out(`   ${line}`)
    }
    out(`   again:    ${againCommand(options.target, finding)}`)
  }
  if (run.limited > 0)
    err(
      `plumbline: a quota of the target slowed this run down: ${run.limited} of its bodies were answered 429 and sent again later`,
    )
  for (const note of run.notes) err(`plumbline: ${note}`)
  if (run.stopped !== null) err(`plumbline: ended early: ${run.stopped.reason}`)
  const rate = Math.round(run.cases / Math.max(seconds, 0.001))
  out(
    `${pluralize(run.cases, 'case')} in ${seconds.toFixed(1)} s (${rate} a second), seed ${seed}: ${found(groups.length)}`,
  )
  if (options.json !== undefined)
    writeFileSync(resolve(cwd, options.json), `${JSON.stringify(asJson(run, seed), null, 2)}\n`)
}

/** The cases of a finding in words; their number if it is unknown which of them are needed. */
function saidOf(finding: FuzzFinding): string {
  const { cases, doubt } = finding
  if (doubt === null) return findingSaid(finding)
  return `after ${pluralize(cases.length, 'case')}, those of --path below in that order; ${doubt}`
}

/** The first bodies of a finding, one line each. */
export function bodyLines(cases: FuzzFinding['cases']): string[] {
  const lines = cases.slice(0, shownCases).map(({ bytes }) => `body:     ${bodyText(bytes)}`)
  return cases.length > shownCases ? [...lines, `          and ${cases.length - shownCases} more bodies`] : lines
}

/** The response of the reference to the same bodies, with the volumes and mounts of the target. */
async function referenceAnswer({ target }: OpenTarget, finding: FuzzFinding): Promise<string> {
  const reference = openReference(target)
  const { seen } = await replayOn(reference, finding, { run: 'rfuzz000000', resources() {} })
  await reference.close()
  if (seen === null) return 'not known'
  return seen.wrong === null && finding.isSeenLater ? `${seen.observed}, and the pod is as it should be` : seen.observed
}

function asJson({ cases, findings, stopped, notes, limited }: FuzzRun, seed: number) {
  return {
    format: 2,
    seed,
    cases,
    stopped: stopped?.reason ?? null,
    notes,
    limited,
    findings: findings.map((finding) => ({
      ...finding,
      cases: finding.cases.map(({ bytes, ...one }) => ({ ...one, bodyBase64: Buffer.from(bytes).toString('base64') })),
    })),
  }
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`
}

export function found(findings: number): string {
  return findings === 0 ? 'no findings' : pluralize(findings, 'finding')
}

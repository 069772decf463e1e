import { isDeepStrictEqual } from 'node:util'
import { rules } from '../../../generated/rules.ts'
import { jsonText } from '../../../harness/common/escape.ts'
import type { RunEvent } from '../../../harness/record/events.ts'
import { toTarget } from '../../../harness/record/read.ts'
import { renderBadge } from '../../../reports/badge.ts'
import type { ProfileCoverage, Results } from '../../../results/types.ts'
import { notSelected } from '../../../results/verdict.ts'
import type { Target } from '../../../target/types.ts'
import { writeTarget } from '../../../target-file/write.ts'
import type { JudgedAgain } from '../records/judge-again.ts'
import type { Subject } from './files.ts'
import { type UnjudgedProfile, unjudgedProfiles, withoutLoad } from './scope.ts'

/** Version of the statement and of the other files of a certificate. */
const format = 1
const predicateType = `urn:plumbline:certificate:${format}`

/** Folders of the runs, in their order. */
export const runFolders = ['run-1', 'run-2', 'run-3'] as const

/** A run of a certificate, as its record gives it. */
export interface CertifiedRun extends Pick<JudgedAgain, 'run' | 'results' | 'judged'> {
  readonly folder: string
}

/** The in-toto statement of a certificate. */
export interface Statement {
  readonly _type: string
  readonly subject: readonly Subject[]
  readonly predicateType: string
  readonly predicate: {
    readonly plumbline: string
    /** That of the target is left out: it is made before secrets are masked, so it does not follow from the record. */
    readonly digests: Omit<RunEvent['digests'], 'target'>
    readonly target: string
    readonly clock: 'real' | 'controlled'
    readonly verdict: string
    readonly profiles: readonly string[]
    readonly notJudged: readonly UnjudgedProfile[]
    readonly load: { readonly k6: string; readonly windowScale: number } | null
    readonly runs: readonly {
      readonly folder: string
      readonly run: string
      readonly seed: number | null
      readonly startedMs: number
      readonly endedMs: number
      readonly line: string
      readonly coverage: readonly ProfileCoverage[]
    }[]
    readonly finished: string
    /** SHA-256 of the public key that signs this statement; null if nobody does. */
    readonly keyId: string | null
  }
}

/** Everything that a certificate says, from its runs, its files and its key alone. */
export function statementOf(
  runs: readonly CertifiedRun[],
  subject: readonly Subject[],
  keyId: string | null,
): Statement {
  const { run, results } = firstOf(runs)
  const { load } = run
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject,
    predicateType,
    predicate: {
      plumbline: run.plumbline,
      digests: suiteDigestsOf(run),
      target: results.run.target,
      clock: clockOf(run),
      verdict: results.verdict.word,
      profiles: run.profiles,
      notJudged: unjudgedProfiles(run.profiles, targetOf(run)),
      load: load === undefined ? null : { k6: load.k6, windowScale: load.windowScale },
      runs: runs.map(({ folder, results: { run: facts, verdict, coverage } }) => {
        const { id, seed, startedMs, endedMs } = facts
        return { folder, run: id, seed, startedMs, endedMs, line: verdict.line, coverage }
      }),
      finished: new Date(Math.max(...runs.map((one) => one.results.run.endedMs))).toISOString(),
      keyId,
    },
  }
}

/** The digests that say which suite judged a run. */
export function suiteDigestsOf({
  digests: { suite, ledger, specification },
}: Pick<RunEvent, 'digests'>): Statement['predicate']['digests'] {
  return { suite, ledger, specification }
}

/** The files beside the runs that follow from them, by name. */
export function derivedFiles(runs: readonly CertifiedRun[], isSigned: boolean): ReadonlyMap<string, string> {
  const { run } = firstOf(runs)
  return new Map([
    ['behaviour.json', jsonText({ format, readings: readingsOf(runs) })],
    ['badge.svg', badgeOf(run, isSigned)],
    ['target.yaml', writeTarget(targetOf(run))],
  ])
}

/** Reasons why these runs cannot be certified; empty if they can. */
export function faultsOf(runs: readonly CertifiedRun[]): string[] {
  const first = firstOf(runs).run
  const each = runs.flatMap(({ folder, ...one }, at) => runFaults(one, at === 0).map((fault) => `${folder}: ${fault}`))
  const own = (run: RunEvent) => [run.digests, run.plumbline, run.clock, targetOf(run), withoutLoad(run.profiles)]
  const different = runs.filter(({ run }) => !isDeepStrictEqual(own(run), own(first)))
  const distinct = (values: readonly unknown[]) => new Set(values).size === runs.length
  return [
    ...each,
    ...different.map(({ folder }) => `${folder}: target, clock, version or profiles are not those of ${runFolders[0]}`),
    ...(distinct(runs.map(({ run }) => run.seed)) ? [] : ['the runs do not have three different seeds']),
    ...(distinct(runs.map(({ run }) => run.run)) ? [] : ['the runs are not three different ones']),
  ]
}

function runFaults({ run, results }: Omit<CertifiedRun, 'folder'>, isFirst: boolean): string[] {
  const { verdict, coverage } = results
  const selected = new Set(run.rules)
  const { leftOut } = notSelected(rules, { selected, profiles: run.profiles, byLoad: run.load?.rules ?? null })
  const covered = new Set(coverage.flatMap(({ profile, verified }) => (verified > 0 ? profile : [])))
  const all: readonly (readonly [fault: string, isThere: boolean])[] = [
    [`its verdict is ${verdict.line}`, verdict.word !== 'conformant'],
    ['it is not strict', !run.strict],
    [`${leftOut} rules of its profiles were not selected`, leftOut > 0],
    ['it judges rules of a vendor', run.rulesFolder !== undefined],
    ['it judges the embedded reference', run.clock === 'virtual'],
    ['it drives a load, which only the first run does', run.load !== undefined && !isFirst],
    ['its load sends only one request of each operation', run.load?.isSmoke === true],
    ...run.profiles.map((name) => [`no must rule of profile ${name} was verified`, !covered.has(name)] as const),
  ]
  return all.flatMap(([fault, isThere]) => (isThere ? fault : []))
}

/** The behaviour profile: each reading of the runs, sorted, so that the files of two vendors can be compared. */
function readingsOf(runs: readonly CertifiedRun[]): Record<string, Record<string, string[]>> {
  const events = runs.flatMap(({ judged }) => judged.flatMap((event) => (event.type === 'reading' ? event : [])))
  // Each once. The byte that parts them sorts before every other.
  const lines = new Set(events.map(({ rule, name, value }) => [rule, name, value].join('\0')))
  const readings: Record<string, Record<string, string[]>> = {}
  for (const line of [...lines].sort()) {
    const [rule = '', name = '', ...value] = line.split('\0')
    readings[rule] ??= {}
    readings[rule][name] ??= []
    readings[rule][name].push(value.join('\0'))
  }
  return readings
}

function badgeOf(run: RunEvent, isSigned: boolean): string {
  const notes = [`${clockOf(run)} clock`, ...(isSigned ? [] : ['unsigned'])].join(', ')
  return renderBadge(`plumbline ${run.plumbline}`, `conformant: ${run.profiles.join(', ')} (${notes})`)
}

function clockOf({ clock }: RunEvent): 'real' | 'controlled' {
  return clock === 'real' ? 'real' : 'controlled'
}

/** The target of a record as its file says it, secrets as marks. A receiver on any free port has another one in each run. */
function targetOf(run: RunEvent): Target {
  const target = toTarget(run)
  const { receiver } = target
  return receiver?.listen.endsWith(':0') ? { ...target, receiver: { ...receiver, url: '' } } : target
}

function firstOf(runs: readonly CertifiedRun[]): { readonly run: RunEvent; readonly results: Results } {
  const [first] = runs
  if (first === undefined) throw new Error('a certificate has at least one run')
  return first
}

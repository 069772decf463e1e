import type { UnjudgedPart } from '../harness/claims/claims.ts'
import { endedBySilence } from '../harness/client/unsent.ts'
import { areaOf } from '../harness/common/areas.ts'
import { pluralize } from '../harness/common/pluralize.ts'
import type { EndEvent, RunEvent } from '../harness/record/events.ts'
import { judgedByLoad } from '../harness/rule/load-rules.ts'
import { exitCodes, type RunVerdict } from '../verdicts/exit-codes.ts'
import type { Verdict } from '../verdicts/verdicts.ts'
import type { KnownResult, KnownState, ProfileCoverage, Results, RuleResult } from './types.ts'

type LedgerEntry = Pick<RuleResult, 'id' | 'profile'>

/** The part of a rule's result that the verdict of the run depends on. */
export interface JudgedRule extends Pick<RuleResult, 'profile' | 'level' | 'verdict' | 'reason'> {
  /** True if an entry of `known:` accepts its failure. */
  readonly accepted: boolean
  readonly unjudged: readonly Pick<UnjudgedPart, 'verdict'>[]
}

export interface RunFacts extends Pick<RunEvent, 'profiles' | 'strict' | 'isSparing'> {
  readonly rules: readonly JudgedRule[]
  readonly known: readonly Pick<KnownResult, 'state'>[]
  /** Rules of these profiles that were not selected. */
  readonly leftOut?: number
  /** Profiles that judge more of the same areas and were not selected. */
  readonly otherProfiles?: readonly string[]
  /** False if the record has no end: the run was cut short. */
  readonly ended: boolean
  /** Set if the run could not start. */
  readonly stopped: EndEvent['stopped']
  /** How the server of `--start` failed during the run. */
  readonly serverEnd?: string | undefined
  /** Number of exchanges of other clients that were judged; missing if the run sent its own. */
  readonly trafficExchanges?: number
}

/** Verdicts that say something about the target. */
export const aboutTheTarget: ReadonlySet<Verdict> = new Set<Verdict>(['passed', 'observed', 'failed', 'advice'])
const claimedInVain: readonly Verdict[] = ['inconclusive', 'blocked', 'unverified']
const knownTrouble: Readonly<Partial<Record<KnownState, readonly [one: string, many: string]>>> = {
  'no longer fails': ['known failure no longer fails', 'known failures no longer fail'],
  expired: ['known failure has expired', 'known failures have expired'],
  stale: ['known failure was not reached', 'known failures were not reached'],
}

/**
 * The verdict of a run, its exit code and its line, from the verdicts of its rules. First match wins: could not start,
 * cut short, broken, not conformant, incomplete, conformant with known failures, conformant.
 */
export function judgeRun(facts: RunFacts): {
  readonly verdict: Results['verdict']
  readonly coverage: ProfileCoverage[]
} {
  const coverage = cover(facts)
  const { rules, stopped, trafficExchanges } = facts
  const decided = decide(facts)
  const covered = coverage.map(toText).join(', ') || 'no rules'
  const { word, notes } =
    trafficExchanges === undefined
      ? { ...decided, notes: [...(stopped === null ? [covered] : []), ...decided.notes] }
      : ofTraffic(decided, rules, trafficExchanges)
  const exit = word === 'refused' ? exitCodes.usage : exitCodes[word]
  return { verdict: { word, exit, line: `${word}: ${notes.join('; ')}` }, coverage }
}

interface Decided {
  readonly word: RunVerdict
  readonly notes: readonly string[]
}

/** Traffic exercises only some rules, so it never shows that a target conforms, or that a known failure is gone. */
function ofTraffic(decided: Decided, rules: readonly JudgedRule[], exchanges: number): Decided {
  const { word } = decided
  const exercised = rules.filter(({ verdict }) => aboutTheTarget.has(verdict)).length
  if (exercised === 0 || !(word.includes('conformant') || word === 'incomplete')) return decided
  const failed = rules.filter(({ verdict, accepted }) => verdict === 'failed' && !accepted).length
  const known = rules.filter(({ accepted }) => accepted).length
  return {
    word: failed > 0 ? 'failures' : 'no failures',
    notes: [
      ...(failed > 0 ? [`${pluralize(failed, 'must rule')} failed`] : []),
      ...(known > 0 ? [`${pluralize(known, 'known failure')} accepted`] : []),
      `${exercised} of ${rules.length} rules exercised in ${pluralize(exchanges, 'exchange')}`,
    ],
  }
}

function decide({
  rules,
  known,
  strict,
  ended,
  stopped,
  leftOut = 0,
  otherProfiles = [],
  isSparing = false,
  serverEnd,
}: RunFacts): Decided {
  if (stopped !== null) return { word: wordOf(stopped.exit), notes: [stopped.message] }
  const count = (verdict: Verdict) => rules.filter((rule) => rule.verdict === verdict).length
  const failed = rules.filter((rule) => rule.verdict === 'failed')
  const refusing = failed.filter((rule) => !rule.accepted).length
  const accepted = failed.length - refusing
  const trouble = Object.entries(knownTrouble).flatMap(([state, [one, many]]) => {
    const entries = known.filter((entry) => entry.state === state).length
    return entries === 0 ? [] : [`${entries} ${entries === 1 ? one : many}`]
  })
  const inPart = rules.filter(isInPart).length
  const silent = rules.filter(({ reason }) => endedBySilence(reason)).length
  const inVain = claimedInVain.filter((verdict) => count(verdict) > 0)
  const exercised = rules.some((rule) => aboutTheTarget.has(rule.verdict))
  const judgedMust = rules.some((rule) => rule.level === 'must' && aboutTheTarget.has(rule.verdict))
  const notes = [
    ...(count('broken') > 0
      ? [`${pluralize(count('broken'), 'rule')} broken by a fault of plumbline or of the record`]
      : []),
    ...(refusing > 0 ? [`${pluralize(refusing, 'must rule')} failed`] : []),
    ...(serverEnd === undefined ? [] : [serverEnd]),
    ...(silent > 0 ? [`the target stopped responding, which ended ${pluralize(silent, 'rule')}`] : []),
    ...trouble,
    ...inVain.map((verdict) => `${count(verdict)} ${verdict}`),
    ...(exercised || !ended ? [] : ['nothing was exercised']),
    ...(exercised && !judgedMust ? ['no must rule was judged'] : []),
    ...(strict && count('unclaimed') > 0 ? [`${count('unclaimed')} unclaimed in a strict run`] : []),
    ...(strict && inPart > 0 ? [`${pluralize(inPart, 'rule')} judged in part in a strict run`] : []),
    ...(accepted > 0 ? [`${pluralize(accepted, 'known failure')} accepted`] : []),
    ...(isSparing ? ['sparing run: the seed drew what to try'] : []),
    ...(leftOut > 0 ? [`partial run: ${pluralize(leftOut, 'rule')} not selected`] : []),
    ...(leftOut === 0 && otherProfiles.length > 0 ? [`profiles not selected: ${otherProfiles.join(', ')}`] : []),
  ]
  if (!ended) return { word: 'interrupted', notes }
  if (count('broken') > 0) return { word: 'broken', notes }
  if (refusing > 0 || trouble.length > 0) return { word: 'not conformant', notes }
  const unclaimed = strict && count('unclaimed') + inPart > 0
  if (inVain.length > 0 || unclaimed || !exercised || serverEnd !== undefined) return { word: 'incomplete', notes }
  return { word: accepted > 0 ? 'conformant with known failures' : 'conformant', notes }
}

/** The word for the exit code of a run that could not start; an unknown code is an internal error. */
function wordOf(exit: number): RunVerdict {
  if (exit === exitCodes.usage) return 'refused'
  if (exit === exitCodes.unreachable) return 'unreachable'
  if (exit === exitCodes.interrupted) return 'interrupted'
  if (exit === exitCodes.incomplete) return 'incomplete'
  return 'broken'
}

interface Selection {
  readonly selected: ReadonlySet<string>
  readonly profiles: readonly string[]
  /** The rules that the load of the run judges; null if it has none. */
  readonly byLoad: readonly string[] | null
}

/**
 * The rules of a ledger that were not selected: how many of the profiles of the run, and which other profiles judge more of
 * the areas of the selected rules. A profile that the command refuses, because only load or only check judges it, says so.
 */
export function notSelected(
  ledger: readonly LedgerEntry[],
  { selected, profiles, byLoad }: Selection,
): Required<Pick<RunFacts, 'leftOut' | 'otherProfiles'>> {
  const others = ledger.filter(({ id }) => !selected.has(id))
  const areas = new Set([...selected].map((id) => areaOf(id)))
  const isLoadAlone = byLoad !== null && byLoad.length === selected.size
  const wayTo = ({ id }: LedgerEntry) => {
    if (judgedByLoad.has(id)) return byLoad === null ? ' (needs --load)' : ''
    return isLoadAlone ? ' (judged by check)' : ''
  }
  const isOther = ({ id, profile }: LedgerEntry) => areas.has(areaOf(id)) && !profiles.includes(profile)
  const ofProfiles = Map.groupBy(others.filter(isOther), ({ profile }) => profile)
  return {
    leftOut: others.filter(({ profile }) => profiles.includes(profile)).length,
    otherProfiles: [...ofProfiles].map(([profile, rows]) => `${profile}${rows.map(wayTo).sort()[0] ?? ''}`).sort(),
  }
}

/** The profiles with selected rules, in the requested order. */
function cover({ rules, profiles }: RunFacts): ProfileCoverage[] {
  const judged = new Set(rules.map((rule) => rule.profile))
  const names = [...new Set([...profiles, ...judged])].filter((name) => judged.has(name))
  return names.map((profile) => {
    const must = rules.filter((rule) => rule.profile === profile && rule.level === 'must')
    const verified = must.filter((rule) => aboutTheTarget.has(rule.verdict)).length
    const inPart = must.filter(isInPart).length
    const unclaimed = must.filter((rule) => rule.verdict === 'unclaimed').length
    const notApplicable = must.filter((rule) => rule.verdict === 'not-applicable').length
    const notVerified = must.length - verified - unclaimed - notApplicable
    return { profile, must: must.length, verified, inPart, unclaimed, notApplicable, notVerified }
  })
}

/** True if a rule has a verdict although an unclaimed part of it was not judged. */
function isInPart({ verdict, unjudged }: Pick<JudgedRule, 'verdict' | 'unjudged'>): boolean {
  return aboutTheTarget.has(verdict) && unjudged.some((part) => part.verdict === 'unclaimed')
}

/** Must rules of a profile that apply to the target: the number beside which reports show how many were verified. */
export function applicableOf({ must, notApplicable }: ProfileCoverage): number {
  return must - notApplicable
}

function toText(coverage: ProfileCoverage): string {
  const { profile, must, verified, inPart, unclaimed, notApplicable } = coverage
  if (must === 0) return `${profile} (no must rule was selected)`
  const aside = notApplicable === 0 ? '' : `, ${notApplicable} not applicable`
  const partly = inPart === 0 ? '' : `, ${inPart} of them in part`
  return `${profile} (${verified} of ${applicableOf(coverage)} must rules verified${partly}, ${unclaimed} unclaimed${aside})`
}

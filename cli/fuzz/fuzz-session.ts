import type { RuleId } from '../../generated/rules.ts'
import { redactorOf } from '../../harness/record/describe.ts'
import { noRecorder, type Recorder } from '../../harness/record/recorder.ts'
import type { ResourceLedger } from '../../harness/record/resources.ts'
import type { Context } from '../../harness/rule/context.ts'
import { shorten } from '../../harness/run/judge.ts'
import { createSession } from '../../harness/run/session.ts'
import type { Target } from '../../target/types.ts'
import { BrokenError } from '../shared/errors.ts'
import { version } from '../shared/package-paths.ts'
import type { OpenTarget } from './open-target.ts'

/** The name of a run, and the ledger of its resources. */
export interface Branch {
  readonly run: string
  readonly resources: ResourceLedger
}

/** A run on a target in this process. */
export const unrecorded: Branch = { run: 'rfuzz000000', resources() {} }

/** Some work, and the rule whose names its requests carry. */
export interface Work {
  readonly rule: RuleId
  readonly work: (context: Context) => Promise<void>
}

/** The rule of bodies that are sent to pods. */
export const bodies: RuleId = 'pods.action-body.fuzz'

/**
 * Runs all work concurrently, each as a scenario, with the names, pacing and cleanup of a rule. Returns why one of them ended
 * early, or null.
 */
export async function inSession(
  { target, transport, clock, listener = null }: OpenTarget,
  seed: number,
  { run, resources }: Branch,
  all: readonly Work[],
  onExchange: Recorder['exchange'] = () => {},
): Promise<string | null> {
  const recorder = { ...recorderFor(target), exchange: onExchange }
  const session = createSession({
    runId: run,
    version: version(),
    seed,
    target,
    transport,
    clock,
    recorder,
    resources,
    listener,
    rules: all.map(({ rule, work }) => ({ kind: 'scenario', id: rule, run: work, alone: false })),
    wallNow: () => Date.now(),
  })
  const judgements = await Promise.all(session.scenarios.map((scenario) => scenario.judge()))
  await session.finish()
  // Clauses are not checked here, so a count of 0 exchanges means nothing.
  const early = judgements.find(
    ({ verdict, reason }) => verdict !== 'passed' && reason !== 'no exchange exercised this rule',
  )
  if (early === undefined) return null
  const said = shorten(recorder, early.reason ?? early.verdict)
  if (early.verdict === 'broken') throw new BrokenError(said)
  return said
}

/** Keeps nothing, and removes the secrets of a target from its output. */
export function recorderFor(target: Target): Recorder {
  return { ...noRecorder, clean: redactorOf(target).text }
}

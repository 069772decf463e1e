import { createInstance } from '../proof/instance.ts'
import { composeOptions } from '../reference/options.ts'
import { type CampaignOptions, campaign, replayCase } from '../suites/fuzz/campaign.ts'
import type { FuzzFinding } from '../suites/fuzz/findings.ts'
import type { Outcome } from '../suites/fuzz/try.ts'
import { createControlClient } from '../suites/harness/clock/control-client.ts'
import { createControlledClock } from '../suites/harness/clock/controlled.ts'
import { createRealClock } from '../suites/harness/clock/real.ts'
import type { RunClock } from '../suites/harness/clock/types.ts'
import type { Context } from '../suites/harness/context.ts'
import { type HeaderPairs, jsonOf } from '../suites/harness/exchange.ts'
import { planeOf } from '../suites/harness/fixtures/pods.ts'
import type { ResourceLedger } from '../suites/harness/fixtures/resources.ts'
import { Inconclusive, RuleBroken, Unanswered } from '../suites/harness/outcome.ts'
import { noRecorder, type Recorder } from '../suites/harness/record/recorder.ts'
import { createRedactor } from '../suites/harness/record/redact.ts'
import { createSession, type Session } from '../suites/harness/run/session.ts'
import { brief } from '../suites/harness/run/tell.ts'
import { secretsOf } from '../suites/harness/target/describe.ts'
import type { Target } from '../suites/harness/target/types.ts'
import { overHttp } from '../suites/harness/transport/http.ts'
import { inProcess } from '../suites/harness/transport/in-process.ts'
import { type Transport, TransportFailure } from '../suites/harness/transport/types.ts'
import { version } from './home.ts'

/** A target with a way to reach it and its clock. */
export interface OpenTarget {
  readonly target: Target
  readonly transport: Transport
  readonly clock: RunClock
  /** Whether its pods end with this process. */
  readonly isEmbedded: boolean
  close(): Promise<void>
}

export interface FuzzOptions {
  readonly open: OpenTarget
  readonly seed: number
  /** Connections, each with pods of its own. */
  readonly concurrency: number
  /** Names the run of a lane, and where it writes what it creates. */
  readonly lane: (n: number) => { readonly run: string; readonly resources: ResourceLedger }
  readonly goesOn: (cases: number) => boolean
  readonly onCase?: () => void
  readonly findings?: Map<string, FuzzFinding>
}

export interface FuzzRun {
  readonly cases: number
  readonly findings: readonly FuzzFinding[]
  /** Why a lane ended before its time; null where none did. */
  readonly stopped: string | null
}

/** Requests in a row without an answer after which a target is given up. */
const givenUpAfter = 8

/** Opens a target over HTTP; rejects where its clock cannot be read. */
export async function openTarget(target: Target, concurrency: number): Promise<OpenTarget> {
  const { answerMs, connectMs } = target.tolerances
  const http = overHttp({ answerMs, connectMs, connections: concurrency })
  const clock = target.clock === 'real' ? createRealClock() : await remoteClock(target.clock.url, http.send)
  return {
    target,
    transport: http.send,
    clock,
    isEmbedded: false,
    close: async () => {
      clock.close()
      await http.close()
    },
  }
}

/** The reference in this process without quotas; its volumes and mounts are those of `like`, where that is given. */
export function openReference(like?: Target): OpenTarget {
  const plane = like?.pods ?? null
  const { fetch, control, target } = createInstance([
    {
      id: 'for-fuzzing',
      says: 'Quotas are not reached.',
      change: (options) => {
        const ids = [plane?.volume, plane?.volumeSecond].filter((id) => typeof id === 'string')
        const volumes = ids.map((id) => ({ id, dataCenterId: 'dc-1', size: 100 }))
        return composeOptions(options, {
          quotas: { minute: 1e12, hour: 1e12, day: 1e12 },
          ...(volumes.length === 0 ? {} : { volumes }),
        })
      },
      file: (own) => {
        if (own.pods === null || plane === null) return own
        const { volume, volumeSecond, volumePath, persistent } = plane
        const asked = { ...own.pods, volumePath, persistent: persistent ?? own.pods.persistent }
        return { ...own, pods: volume === null ? asked : { ...asked, volume, volumeSecond } }
      },
    },
  ])
  const clock = createControlledClock({ kind: 'virtual', control, startMs: Date.UTC(2026, 0, 1) })
  return { target, transport: inProcess(fetch), clock, isEmbedded: true, close: async () => clock.close() }
}

/** Tries cases on a target until `goesOn` says no; every finding is shrunk and kept once. */
export async function fuzzTarget(options: FuzzOptions): Promise<FuzzRun> {
  const { open, seed, concurrency, goesOn } = options
  const recorder = recorderFor(open.target)
  const clean = (text: string) => brief(recorder, text)
  const findings = options.findings ?? new Map<string, FuzzFinding>()
  let cases = 0
  let underWay = 0
  let stopped: string | null = null
  const lanes = Array.from({ length: concurrency }, (_, n) => {
    const lane = options.lane(n)
    const laneOptions: CampaignOptions = {
      seed: seed + n * 7_919,
      from: n === 0 ? 'enumeration' : 'random',
      goesOn: () => {
        if (stopped !== null || !goesOn(cases + underWay)) return false
        underWay++
        return true
      },
      onCase: (wasSent) => {
        underWay--
        if (!wasSent) return
        cases++
        options.onCase?.()
      },
      findings,
      direct: createDirect(open, lane.run),
      clean,
      attempt: createAttempt(clean, (reason) => {
        stopped ??= reason
      }),
    }
    return inSession(open, seed, lane, (context) => campaign(context, laneOptions))
  })
  const reasons = await Promise.all(lanes)
  return {
    cases,
    findings: [...findings.values()],
    stopped: stopped ?? reasons.find((reason) => reason !== null) ?? null,
  }
}

/** Sends one case once more; null where the seed has no such path. */
export async function replayOn(open: OpenTarget, seed: number, path: string, lane: ReturnType<FuzzOptions['lane']>) {
  let seen: Awaited<ReturnType<typeof replayCase>> = null
  const stopped = await inSession(open, seed, lane, async (context) => {
    seen = await replayCase(context, seed, path)
  })
  return { seen: seen as Awaited<ReturnType<typeof replayCase>>, stopped }
}

/** Runs work as a scenario, so that its pods are named, paced and removed as those of a rule; why it ended early, or null. */
export async function inSession(
  { target, transport, clock, isEmbedded }: OpenTarget,
  seed: number,
  { run, resources }: ReturnType<FuzzOptions['lane']>,
  work: (context: Context) => Promise<void>,
): Promise<string | null> {
  const recorder = recorderFor(target)
  const session = createSession({
    run,
    version: version(),
    seed,
    target,
    transport,
    clock,
    recorder,
    resources,
    rules: [{ kind: 'scenario', id: 'pods.action-body.fuzz', run: work, alone: false }],
    cleanup: isEmbedded ? 'none' : 'all',
    wallNow: () => Date.now(),
  })
  const reasons = await Promise.all(session.scenarios.map((scenario) => reasonOf(scenario, recorder)))
  await session.finish()
  return reasons[0] ?? null
}

/** Keeps nothing, and takes the secrets of a target out of what it said. */
function recorderFor(target: Target): Recorder {
  return { ...noRecorder, clean: createRedactor(secretsOf(target)).text }
}

async function reasonOf(scenario: Session['scenarios'][number], recorder: Recorder): Promise<string | null> {
  const { verdict, reason } = await scenario.judge()
  // Nothing is checked by clause here: that no exchange counted says nothing.
  return verdict === 'passed' || reason === 'no exchange exercised this rule'
    ? null
    : brief(recorder, reason ?? verdict)
}

/** The shortest way to the target: the same header lines with each request. */
function createDirect(open: OpenTarget, run: string): CampaignOptions['direct'] {
  const { target } = open
  const send = standingStill(open)
  const plane = planeOf(target)
  const headers: HeaderPairs = [
    ['Accept', 'application/json, application/problem+json'],
    ['Accept-Encoding', 'identity'],
    ['Authorization', `Bearer ${target.keys.full ?? ''}`],
    ['Content-Type', 'application/json'],
    ['User-Agent', `plumbline/${version()} (run ${run}; fuzz)`],
  ]
  return async ({ operation }, id, bytes, meanwhile) => {
    const isPatch = operation === 'updatePod'
    const path = plane.paths[isPatch ? 'updatePod' : 'triggerPodAction'].replace('{id}', encodeURIComponent(id))
    const answer = send({
      method: isPatch ? 'PATCH' : 'POST',
      url: plane.url + path,
      headers,
      body: bytes.length === 0 ? null : bytes,
    })
    meanwhile()
    const { status, body } = await answer.catch((error: unknown) => {
      throw error instanceof TransportFailure ? new Unanswered(`no whole answer: ${error.message}`) : error
    })
    return {
      status,
      get json() {
        return jsonOf(body)
      },
    }
  }
}

/** The transport for requests of no scenario: a controlled clock stands still while one is under way. */
function standingStill({ transport, clock }: OpenTarget): Transport {
  if (!clock.controlled) return transport
  return async (...what) => {
    // An actor of its own for each: one that stayed would keep time from moving between them.
    const actor = clock.actor('direct')
    try {
      return await actor.during(transport(...what))
    } finally {
      actor.done()
    }
  }
}

/** Turns what a case can end in into a value without secrets; a target that has gone away ends the run. */
function createAttempt(clean: (text: string) => string, give: (reason: string) => void): CampaignOptions['attempt'] {
  let unanswered = 0
  return async <T>(work: () => Promise<T>): Promise<Outcome<T>> => {
    try {
      const value = await work()
      unanswered = 0
      return { value }
    } catch (error) {
      if (error instanceof RuleBroken) return { failure: clean(error.finding.observed), undecided: false }
      if (!(error instanceof Inconclusive)) throw error
      if (++unanswered >= givenUpAfter) give(clean(error.message))
      // A quota that is used up, or an outage, is nothing that a body brought about.
      if (error instanceof Unanswered) return { failure: 'no whole answer', undecided: false }
      return { failure: clean(error.message), undecided: true }
    }
  }
}

async function remoteClock(url: string, send: Transport): Promise<RunClock> {
  const control = createControlClient(url, send)
  const { nowMs: startMs } = await control.state()
  return createControlledClock({ kind: 'remote', control, startMs })
}

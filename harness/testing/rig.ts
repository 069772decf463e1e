import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '../../cli/serve/connect.ts'
import type { RuleRow } from '../../generated/rules.ts'
import { createInstance } from '../../proof/instance.ts'
import type { Variant } from '../../proof/types.ts'
import { createControlHandler } from '../../reference/index.ts'
import type { Target } from '../../target/types.ts'
import { createControlClient } from '../clock/control-client.ts'
import { describeTarget, redactorOf } from '../record/describe.ts'
import type { EvidenceEvent } from '../record/events.ts'
import { readEvidence } from '../record/read.ts'
import { createFileRecorder } from '../record/recorder.ts'
import type { ResourceLine } from '../record/resources.ts'
import type { Scenario } from '../rule/registry.ts'
import { connectHere } from '../run/connect.ts'
import type { Judgement } from '../run/judge.ts'
import { replay } from '../run/replay.ts'
import { createSession, type Session, type SessionOptions } from '../run/session.ts'
import type { EmbeddedTarget } from '../transport/embedded.ts'
import { inProcess } from '../transport/in-process.ts'
import type { Transport } from '../transport/types.ts'

export type TestScenario = Partial<Omit<Scenario, 'id' | 'kind'>> &
  Pick<Scenario, 'run'> & { readonly row?: Partial<RuleRow> }

export interface RigOptions {
  /** In this process, or over real HTTP on this machine. */
  readonly over?: 'process' | 'http'
  readonly variants?: readonly Variant[]
  readonly seed?: number
  readonly target?: (target: Target) => Target
  /** Wraps the transport. */
  readonly through?: (transport: Transport) => Transport
  /** In process: wraps the calls to the clock, which then have the form of HTTP. */
  readonly clock?: (calls: Transport) => Transport
  /** Real ms for which the target may be busy with something that is not here. */
  readonly busyLimitMs?: number
  /** Rules that a budget left out, and how much time is left for them. */
  readonly leftOut?: Pick<Required<SessionOptions>, 'leftOut' | 'reserve'>
  /** Called with the session before its rules begin. */
  readonly opened?: (session: Session) => void
}

export interface RigResult {
  /** By the name of the scenario. */
  readonly judgements: ReadonlyMap<string, Judgement>
  readonly events: readonly EvidenceEvent[]
  readonly resources: readonly ResourceLine[]
  /** Verdicts, findings and readings of the run, and the same of its replay. */
  readonly judged: readonly string[]
  readonly replayed: readonly string[]
}

/** Runs scenarios of a test on a reference, writes their record, and judges that record again. */
export async function runOnRig(
  scenarios: Readonly<Record<string, TestScenario>>,
  options: RigOptions = {},
): Promise<RigResult> {
  const { over = 'process', variants = [], seed = 1, target: change, through, opened, leftOut } = options
  const { busyLimitMs } = options
  const dir = mkdtempSync(join(tmpdir(), 'plumbline-rig-'))
  const line = await (over === 'http' ? connect(variants) : connectHere(instanceOf(variants, options.clock)))
  const target = change === undefined ? line.target : change(line.target)
  const recorder = createFileRecorder(dir, redactorOf(target))
  const clock = await line.clockOf({
    ...(busyLimitMs !== undefined && { busyLimitMs }),
    waited: (end) => recorder.event({ type: 'clock', ...end }),
  })
  const rules = Object.entries(scenarios).map(([name, scenario]) => toRule(name, scenario))
  const rowOf = (id: string) => rowFor(id, scenarios[id]?.row)
  const run = 'rtest000000'
  const resources: ResourceLine[] = []
  const { digests, ...head } = {
    ...runHead,
    run,
    seed,
    rules: rules.map(({ id }) => id),
    target: describeTarget(target),
  }
  recorder.event({
    ...head,
    ...(leftOut && { leftOut: leftOut.leftOut }),
    digests,
    clock: over === 'http' ? 'remote' : 'virtual',
  })
  try {
    const session = createSession({
      runId: run,
      version: '0.0.0',
      seed,
      target,
      transport: through?.(line.transport) ?? line.transport,
      clock,
      recorder,
      resources: (entry) => resources.push(entry),
      rules,
      wallNow: () => 0,
      listener: line.listener,
      rowOf,
      ...leftOut,
    })
    opened?.(session)
    const judgements = await Promise.all(session.scenarios.map(({ judge }) => judge()))
    await session.finish()
    recorder.event({ type: 'end', endedMs: 0, passedMs: 0, exchanges: session.exchanges(), stopped: null })
    recorder.flush()
    const events: EvidenceEvent[] = []
    for await (const event of readEvidence(dir)) events.push(event)
    const { events: derived } = await replay(dir, { rules, rowOf })
    return {
      judgements: new Map(judgements.map((judgement) => [judgement.rule, judgement])),
      events,
      resources,
      judged: judgedIn(events),
      replayed: judgedIn(derived),
    }
  } finally {
    clock.close()
    await line.close()
    rmSync(dir, { recursive: true, force: true })
  }
}

/** The reference in this process; `through` wraps the calls to its clock. */
function instanceOf(variants: readonly Variant[], through: RigOptions['clock']): EmbeddedTarget {
  const instance = createInstance(variants)
  if (through === undefined) return instance
  const handler = createControlHandler(instance.control)
  return { ...instance, control: createControlClient('https://clock.test', through(inProcess(handler))) }
}

function toRule(name: string, { run, row: _, ...rest }: TestScenario): Scenario {
  return { kind: 'scenario', id: name as Scenario['id'], run, alone: false, ...rest }
}

function rowFor(id: string, row: Partial<RuleRow> = {}): RuleRow {
  return {
    id,
    area: 'queue',
    profile: 'core',
    level: 'must',
    basis: 'stated',
    source: 'Job',
    says: '',
    needs: [],
    parts: [],
    wait: null,
    judged: null,
    ...row,
  }
}

const runHead = {
  type: 'run',
  format: 1,
  plumbline: '0.0.0',
  startedMs: 0,
  targetFile: null,
  profiles: ['core'],
  strict: false,
  digests: { suite: '', ledger: '', specification: '', target: '' },
} as const

function judgedIn(events: readonly EvidenceEvent[]): string[] {
  const kinds = new Set(['verdict', 'finding', 'reading'])
  return events
    .filter(({ type }) => kinds.has(type))
    .map((event) => JSON.stringify(event))
    .sort()
}

import type { RuleRow } from '../../generated/rules.ts'
import { createReplayClock } from '../clock/replay.ts'
import { isOwnerOf } from '../exchange/owner-names.ts'
import { redactorOf } from '../record/describe.ts'
import {
  type BrokenOffEvent,
  type CutEvent,
  type EndEvent,
  type EvidenceEvent,
  isJudged,
  type JudgedEvent,
  type KnownEvent,
  type PlanEvent,
  type RunEvent,
} from '../record/events.ts'
import { type CheckLine, InvalidRecord, readEvidence, toArrival, toExchange, toTarget } from '../record/read.ts'
import { noRecorder, type Recorder } from '../record/recorder.ts'
import { createReplaySource, type RecordedEvent } from '../record/replay-source.ts'
import { allRules, type Invariant, type Rule } from '../rule/registry.ts'
import { foldInvariants } from './invariants.ts'
import { recordJudgement } from './judge.ts'
import type { ReplayLoad } from './options.ts'
import { rowOf as rowOfLedger } from './rows.ts'
import { createSession } from './session.ts'
import { createSpans } from './spans.ts'

/** The events of a record with every verdict, finding and reading derived anew. */
interface Replayed {
  readonly events: readonly EvidenceEvent[]
  readonly run: RunEvent
  /** The verdicts, findings and readings that the record itself has. */
  readonly stated: readonly JudgedEvent[]
}

interface ReplayOptions {
  /** Judges the load of the record; without it a record of load is refused. */
  readonly load?: ReplayLoad
  /** Rules and rows, if they are not the project's own. */
  readonly rules?: readonly Rule[]
  readonly rowOf?: (id: string) => RuleRow
  /** Checks each line; default: a record is taken as it is. */
  readonly check?: CheckLine
}

/**
 * Runs the rules of a record again over its exchanges. Needs the suites to be imported (`suites/all.ts`). Throws one
 * sentence if the folder is not a record, or its run never began.
 */
export async function replay(dir: string, options: ReplayOptions = {}): Promise<Replayed> {
  const { rules = allRules(), rowOf = rowOfLedger } = options
  const kept: EvidenceEvent[] = []
  const recorded: RecordedEvent[] = []
  const cuts: CutEvent[] = []
  const added = new Set<string>()
  const known: KnownEvent[] = []
  const stated: JudgedEvent[] = []
  const spans = createSpans()
  const driven: (PlanEvent | BrokenOffEvent)[] = []
  let run: RunEvent | null = null
  let end: EndEvent | null = null
  const invariants = rules.filter((rule): rule is Invariant => rule.kind === 'invariant')
  let fold: ReturnType<typeof foldInvariants> | null = null
  let selected = new Set<string>()
  for await (const event of readEvidence(dir, options.check)) {
    if (event.type === 'run') {
      run = event
      selected = new Set(event.rules.filter((id) => event.load?.rules.includes(id) !== true))
      kept.push(event)
      fold = foldInvariants(
        invariants.filter(({ id }) => selected.has(id)),
        toTarget(event),
        { isTraffic: event.traffic !== undefined },
      )
    } else if (event.type === 'plan' || event.type === 'broken-off') driven.push(event)
    else if (event.type === 'cut') cuts.push(event)
    else if (event.type === 'added') added.add(event.rule)
    else if (event.type === 'known') known.push(event)
    else if (event.type === 'clock') {
      recorded.push({ kind: 'wait', end: event })
      if (event.failure === undefined) spans.see(event.owner, event.nowMs)
    } else if (event.type === 'hook') recorded.push({ kind: 'hook', end: event })
    else if (event.type === 'arrival') recorded.push({ kind: 'arrival', arrival: toArrival(dir, event) })
    else if (event.type === 'end') end = event
    else if (isJudged(event)) {
      stated.push(event)
      spans.close(event.rule)
    } else if (event.type === 'exchange') {
      const exchange = toExchange(dir, event)
      // In the order of the record: a session that replays sees each owner's exchanges alone, and no cleanup.
      fold?.exchange(exchange)
      spans.see(exchange.owner, exchange.sent.target, exchange.received.target)
      if (!isOwnerOf(event.owner, 'cleanup')) recorded.push({ kind: 'exchange', exchange })
    }
  }
  if (run === null)
    throw new InvalidRecord(
      `${dir}/evidence.ndjson is empty or breaks off in line 1, so nothing can be judged; copy it whole, or run check again`,
    )
  const target = toTarget(run)
  const judged: EvidenceEvent[] = []
  if (end !== null && end.stopped === null) {
    const recorder: Recorder = { ...noRecorder, event: (event) => judged.push(event) }
    const source = createReplaySource(recorded, redactorOf(target))
    const session = createSession({
      runId: run.run,
      version: run.plumbline,
      seed: run.seed ?? 0,
      target,
      transport: source.respond,
      clock: createReplayClock(source, run.clock !== 'real', spans.of),
      recorder,
      resources: () => {},
      rules: rules.filter((rule) => rule.kind === 'scenario' && selected.has(rule.id)),
      wallNow: () => 0,
      listener: target.receiver === null ? null : { open: (_, replayed) => source.arrivals(replayed) },
      leftOut: (run.leftOut ?? []).filter(({ rule }) => !added.has(rule)),
      isSparing: run.isSparing ?? false,
      hook: source.hook,
      cuts,
      known,
      rowOf,
    })
    const scenarios = await Promise.all(session.scenarios.map(({ judge }) => judge()))
    if (run.load !== undefined && options.load === undefined) {
      throw new Error('a record of load needs the judges of load')
    }
    // The invariants judge what the load sent as well.
    const ofLoad = run.load === undefined ? [] : await options.load?.(dir, run, driven, fold?.unrecorded ?? (() => {}))
    const invariants = fold?.judge(rowOf, scenarios) ?? []
    for (const judgement of [...invariants, ...(ofLoad ?? [])]) recordJudgement(recorder, judgement)
  }
  return { run, stated, events: [...kept, ...judged, ...(end === null ? [] : [end])] }
}

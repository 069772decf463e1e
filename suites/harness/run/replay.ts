import { createRecordClock } from '../clock/record.ts'
import type { Exchange } from '../exchange.ts'
import type { ClockEvent, EndEvent, EvidenceEvent, RunEvent } from '../record/events.ts'
import { readEvidence, toExchange } from '../record/read.ts'
import type { Recorder } from '../record/recorder.ts'
import { allRules, type Invariant } from '../registry.ts'
import type { Target } from '../target/types.ts'
import { fromRecord } from '../transport/record.ts'
import { foldInvariants } from './invariants.ts'
import { rowOf } from './rows.ts'
import { createSession } from './session.ts'
import { tell } from './tell.ts'

/** The events of a record with every verdict, finding and reading derived anew. */
export interface Replayed {
  readonly events: readonly EvidenceEvent[]
  readonly run: RunEvent
}

/**
 * Runs the rules of a record again over its exchanges. Needs the suites to be imported (`suites/all.ts`).
 * Throws one sentence where the folder is no record, or is of a run that never began.
 */
export async function replay(dir: string): Promise<Replayed> {
  const kept: EvidenceEvent[] = []
  const clocks: ClockEvent[] = []
  const scenarios: Exchange[] = []
  let run: RunEvent | null = null
  let end: EndEvent | null = null
  const invariants = allRules().filter((rule): rule is Invariant => rule.kind === 'invariant')
  let fold: ReturnType<typeof foldInvariants> | null = null
  let selected = new Set<string>()
  for await (const event of readEvidence(dir)) {
    if (event.type === 'run') {
      run = event
      selected = new Set(event.rules)
      kept.push(event)
      fold = foldInvariants(
        invariants.filter(({ id }) => selected.has(id)),
        event.target as Target,
      )
    } else if (event.type === 'clock') clocks.push(event)
    else if (event.type === 'end') end = event
    else if (event.type === 'exchange') {
      const exchange = toExchange(dir, event)
      fold?.exchange(exchange)
      if (!event.owner.startsWith('cleanup')) scenarios.push(exchange)
    }
  }
  if (run === null) throw new Error(`${dir} holds no record of a run (evidence.ndjson has no line of type run)`)
  const target = run.target as Target
  const judged: EvidenceEvent[] = []
  if (end !== null && end.stopped === null) {
    const recorder: Recorder = { event: (event) => judged.push(event), exchange() {}, flush() {} }
    const session = createSession({
      run: run.run,
      version: run.plumbline,
      seed: run.seed,
      target,
      transport: fromRecord(scenarios),
      clock: createRecordClock(clocks, run.clock !== 'real'),
      recorder,
      resources: () => {},
      rules: allRules().filter((rule) => rule.kind === 'scenario' && selected.has(rule.id)),
      cleanup: 'none',
      wallNow: () => 0,
    })
    await Promise.all(session.scenarios.map(({ judge }) => judge()))
    if (fold !== null) for (const judgement of fold.judge(rowOf)) tell(recorder, judgement)
  }
  return { run, events: [...kept, ...judged, ...(end === null ? [] : [end])] }
}

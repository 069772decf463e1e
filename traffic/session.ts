import type { RuleRow } from '../generated/rules.ts'
import type { Exchange } from '../harness/exchange/exchange.ts'
import { ownerName } from '../harness/exchange/owner-names.ts'
import { runEventOf } from '../harness/record/describe.ts'
import type { RunEvent } from '../harness/record/events.ts'
import { createFileRecorder } from '../harness/record/recorder.ts'
import { allRules, type Invariant } from '../harness/rule/registry.ts'
import { foldInvariants } from '../harness/run/invariants.ts'
import { type Judgement, recordJudgement } from '../harness/run/judge.ts'
import { rowOf } from '../harness/run/rows.ts'
import type { Target } from '../target/types.ts'
import { clientRows, clientRules, hasRefusedBody } from './client-rules.ts'
import { createFindRoute } from './route.ts'
import { createTrafficSecrets } from './secrets.ts'

/** Facts about a judgement of traffic that its record states. */
type Facts = Pick<RunEvent, 'run' | 'plumbline' | 'startedMs' | 'targetFile' | 'program' | 'digests'> & {
  /** The command that shows the findings again, as the record states it; empty if none does. */
  readonly traffic: string
}

interface TrafficOptions {
  readonly target: Target
  /** The folder of the record. */
  readonly evidence: string
  readonly facts: Facts
  /** True if the requests are judged as well. */
  readonly judgesClient: boolean
}

/** A request and its outcome, as somebody else sent it. */
type Seen = Pick<Exchange, 'n' | 'request' | 'response' | 'failure' | 'lacksBody'> & {
  readonly sentMs: number
  readonly receivedMs: number
}

/** The row of a rule of the ledger, or of one about clients. */
export function trafficRow(id: string): RuleRow {
  return clientRows.find((row) => row.id === id) ?? rowOf(id)
}

/** Judges exchanges of others by the invariants, and writes a record that `replay` judges again. Needs the suites. */
export function createTraffic({ target, evidence, facts, judgesClient }: TrafficOptions) {
  const secrets = createTrafficSecrets(target)
  const recorder = createFileRecorder(evidence, secrets.redactor)
  const invariants = allRules().filter((rule): rule is Invariant => rule.kind === 'invariant')
  const rules = judgesClient ? [...invariants, ...clientRules] : invariants
  const fold = foldInvariants(rules, target, { isTraffic: true })
  const find = createFindRoute(target)
  const counts = { judged: 0, answered: 0, elsewhere: 0, unknown: 0 }
  const judgements = () => fold.judge(trafficRow)
  const ids = rules.map(({ id }) => id).sort()
  const profiles = [...new Set(ids.map((id) => trafficRow(id).profile))].sort()
  recorder.event(runEventOf(target, { ...facts, seed: null, clock: 'real', strict: false, rules: ids, profiles }))

  return {
    redactor: secrets.redactor,
    counts,
    judgements,
    /**
     * Judges an exchange if it is one of an operation of the target; those have to come in the order in which they ended.
     * Returns it without the secrets of its headers; null if it is ignored.
     */
    take({ sentMs, receivedMs, ...seen }: Seen): Exchange | null {
      const route = find(seen.request.method, seen.request.url)
      if (route === 'elsewhere' || route === null) {
        counts[route ?? 'unknown']++
        return null
      }
      counts.judged++
      if (seen.response !== null) counts.answered++
      const exchange: Exchange = {
        ...seen,
        ...(seen.lacksBody !== true && hasRefusedBody(route.operation, seen.request) && { mustBeRefused: true }),
        ...{ owner: ownerName('traffic'), ...route, key: secrets.keyOf(seen.request.headers) },
        sent: { target: sentMs, harness: sentMs },
        received: { target: receivedMs, harness: receivedMs },
      }
      fold.exchange(exchange)
      const hidden = secrets.hidden(exchange)
      recorder.exchange(hidden)
      return hidden
    },
    /** Writes the verdicts and the end of the record. */
    end(endedMs: number): readonly Judgement[] {
      const all = judgements()
      for (const judgement of all) recordJudgement(recorder, judgement)
      const passedMs = Math.max(0, endedMs - facts.startedMs)
      recorder.event({ type: 'end', endedMs, passedMs, exchanges: counts.judged, stopped: null })
      recorder.flush()
      return all
    },
  }
}

export function isAboutClients(rule: string): boolean {
  return rule.startsWith('client.')
}

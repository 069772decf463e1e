import type { Moment } from '../../../harness/exchange/exchange.ts'
import type { EvidenceEvent, RunEvent } from '../../../harness/record/events.ts'
import { readEvidence } from '../../../harness/record/read.ts'
import { plansFolder, rawName } from '../../../load/record.ts'
import { embeddedUrl } from '../../../reference/embedded.ts'

/** Largest difference between two readings of one clock in a row, ms: the process may pause between them. */
const pauseMs = 1_000

interface Inspected {
  /** Paths of the files that belong to the record, itself included. */
  readonly files: readonly string[]
  /** Why its exchanges contradict the clock and the target that its first event names. */
  readonly contradictions: readonly string[]
}

/** Reads a record in `dir` for all that a replay does not need. */
export async function inspectRecord(dir: string): Promise<Inspected> {
  const files = new Set(['evidence.ndjson'])
  const faults = new Map<keyof typeof checks, string>()
  let run: RunEvent | null = null
  for await (const event of readEvidence(dir)) {
    if (event.type === 'run') run = event
    for (const file of filesOf(event)) files.add(file)
    for (const [name, check] of checkList) {
      const fault = run === null ? null : check(event, run)
      // The others of a kind would repeat the first.
      if (fault !== null && !faults.has(name)) faults.set(name, fault)
    }
  }
  return { files: [...files], contradictions: [...faults.values()] }
}

/** Files of a plan: the input of k6, the authorities that it trusts, and its points. The load of a certificate has one machine. */
const planFiles = ['plan.json', 'ca.pem', rawName]

function filesOf(event: EvidenceEvent): string[] {
  if (event.type === 'plan' || event.type === 'broken-off') {
    return planFiles.map((name) => `${plansFolder}/${event.plan}/${name}`)
  }
  if (event.type !== 'exchange' && event.type !== 'arrival') return []
  const response = event.type === 'exchange' ? event.response : null
  return [event.request.body, response?.body].flatMap((body) => (body && 'file' in body ? body.file : []))
}

type Check = (event: EvidenceEvent, run: RunEvent) => string | null

const checks = {
  target: (event, { clock, target }) =>
    event.type === 'run' && (clock === 'real') !== ((target as { readonly clock: unknown }).clock === 'real')
      ? `its clock is ${clock}, but its target names another one`
      : null,
  reference: (event) =>
    event.type === 'exchange' && isEmbedded(event.request.url)
      ? `exchange ${event.n} was sent to the embedded reference`
      : null,
  moments: (event, { clock }) =>
    clock === 'real' && momentsOf(event).some(({ target, harness }) => Math.abs(target - harness) > pauseMs)
      ? `its clock is real, but ${nameOf(event)} has two different times`
      : null,
  passed: (event, { clock, startedMs }) =>
    clock === 'real' && event.type === 'end' && event.passedMs > event.endedMs - startedMs + pauseMs
      ? `its clock is real, but ${event.passedMs} ms passed in ${event.endedMs - startedMs} ms`
      : null,
} satisfies Record<string, Check>

const checkList = Object.entries(checks) as [keyof typeof checks, Check][]

/** True for the address of the embedded reference and for those of its endpoints. */
function isEmbedded(url: string): boolean {
  const { hostname } = new URL(embeddedUrl)
  const host = URL.parse(url)?.hostname ?? ''
  return host === hostname || host.endsWith(`.${hostname}`)
}

function momentsOf(event: EvidenceEvent): Moment[] {
  if (event.type === 'exchange') return [event.sent, event.received]
  return event.type === 'arrival' ? [event.at] : []
}

function nameOf(event: EvidenceEvent): string {
  return 'n' in event ? `${event.type} ${event.n}` : event.type
}

import type { Channel, HostHealth } from '../client/channel.ts'
import { createConnections, trialOwner } from '../client/connections.ts'
import { createHostHealth } from '../client/health.ts'
import { hostOf } from '../client/host.ts'
import { createKeyTrials } from '../client/key-trials.ts'
import { createReadSpacing } from '../client/read-spacing.ts'
import type { RunClock } from '../clock/types.ts'
import type { Exchange } from '../exchange/exchange.ts'
import { ownerName } from '../exchange/owner-names.ts'
import { createHooks } from '../hooks/hooks.ts'
import { createGates } from '../planes/gates.ts'
import { planeOfOperation } from '../planes/index.ts'
import type { RunServices } from '../planes/owner.ts'
import { createReceiver } from '../receiver/receiver.ts'
import { type Listener, workerReport } from '../receiver/types.ts'
import type { Recorder } from '../record/recorder.ts'
import type { ResourceLedger } from '../record/resources.ts'
import type { Rule } from '../rule/registry.ts'
import type { Transport } from '../transport/types.ts'
import { misreadsBodyOf } from './connection-trial.ts'
import { shorten } from './judge.ts'
import { probeOf, statusOfProbe } from './key-probe.ts'
import { createOwner, type Owner } from './owner.ts'

export interface ServiceOptions {
  readonly runId: string
  readonly version: string
  readonly seed: number
  readonly transport: Transport
  readonly clock: RunClock
  readonly recorder: Recorder
  readonly resources: ResourceLedger
  /** The rules to judge, in any order. */
  readonly rules: readonly Rule[]
  /** The harness's own clock, ms of the Unix epoch. */
  readonly wallNow: () => number
  /** Source of notifications and beacons; without it the target does not reach the suite. */
  readonly listener?: Listener | null
  /** Outcomes of hooks, in a replay; default: hooks are run and recorded. */
  readonly hook?: RunServices['hook']
}

/** Real ms for which a run waits for a host that has stopped responding, each time. */
const outageMs = 15_000

/** Of a host that need not respond. */
const alwaysHealthy: HostHealth = {
  stoppedMs: () => Number.NEGATIVE_INFINITY,
  admit: async () => null,
  send: (_, transmit) => transmit(),
}

/**
 * The services that all owners of a session share, and the number of exchanges so far. `judges` are called with each
 * exchange, and with a host that is too slow or no longer accepts the key.
 */
export function createServices(
  options: ServiceOptions,
  known: Pick<RunServices, 'target' | 'foundations' | 'longWaits'>,
  judges: {
    readonly exchange: (exchange: Exchange) => void
    readonly giveUp: (host: string, operation: string, reason: string) => void
  },
) {
  const { target } = known
  const { runId, clock, recorder, seed, transport, wallNow, listener } = options
  let exchangeCount = 0
  let pacingRequests = 0
  let connectionTrials = 0
  let keyTrials = 0
  const hosts = new Map<string, HostHealth>()
  // Pauses of a controlled clock let no real time pass, and removing can be done over.
  const patienceMs = clock.kind === 'real' && options.rules.length > 0 ? outageMs : 0
  /** Does something as an owner that is there for it alone. */
  async function asOwner<T>(name: string, actor: string, work: (owner: Owner) => Promise<T>): Promise<T> {
    const owner = createOwner(services, name, clock.actor(actor))
    return work(owner).finally(() => owner.actor.done())
  }

  const connections = createConnections((earlier) =>
    asOwner(trialOwner(earlier.owner, ++connectionTrials), 'connection', (owner) =>
      misreadsBodyOf(earlier, owner, target),
    ),
  )
  const keys = createKeyTrials({
    key: 'full',
    probeOf,
    probe: (operation) =>
      asOwner(ownerName('key', ++keyTrials), 'key', (owner) => statusOfProbe(operation, owner, target)),
    onRefused: judges.giveUp,
  })
  const gates = createGates(clock.now, target, async (plane, operation) => {
    await asOwner(ownerName('pacing', ++pacingRequests), 'pacing', ({ on }) =>
      on(plane.name).as('full').call(operation, { raw429: true, atOnce: true }),
    )
  })
  const channel: Channel = {
    runId,
    version: options.version,
    transport,
    tolerances: target.tolerances,
    standstillMs: clock.controlled ? (target.deploy?.limitMs ?? 0) : 0,
    now: clock.now,
    wallNow,
    next: () => ++exchangeCount,
    gate: (outgoing) => (clock.kind === 'replay' ? null : gates.gateOf(outgoing)),
    mayCountElsewhere: (outgoing) => planeOfOperation(outgoing.operation).pacing.mayCountElsewhere(outgoing),
    reads: createReadSpacing(target.tolerances.stalenessMs, clock.now),
    record(exchange: Exchange) {
      recorder.exchange(exchange)
      judges.exchange(exchange)
    },
    connections,
    keys: clock.kind === 'replay' ? null : keys,
    health({ url, operation }) {
      if (planeOfOperation(operation).mayNotRespond === true) return alwaysHealthy
      const host = hostOf(url)
      const onTooSlow = (reason: string) => judges.giveUp(host, operation, reason)
      const { answerMs } = target.tolerances
      const health = hosts.get(host) ?? createHostHealth({ host, answerMs, now: wallNow, patienceMs, onTooSlow })
      hosts.set(host, health)
      return health
    },
  }
  const receiver =
    target.receiver === null
      ? null
      : createReceiver({
          runId,
          seed,
          // In process no host is looked up.
          url: target.receiver.url === '' ? 'http://receiver.test' : target.receiver.url,
          clock,
          wallNow,
          record(arrival) {
            recorder.arrival(arrival)
            if (arrival.kind === 'start') known.longWaits.came(workerReport)
          },
        })
  if (receiver !== null) listener?.open(receiver.receive, receiver.replayed)
  const runHook = createHooks(transport, target.tolerances.hookMs)
  const hook: RunServices['hook'] = async (owner, n, hook, call) => {
    const said = await runHook(hook, { runId, ...call })
    const failure = said === null ? null : shorten(recorder, said, 300)
    recorder.event({ type: 'hook', owner, hook: n, ...call, failure })
    return failure
  }
  const services: RunServices = {
    hook: options.hook ?? hook,
    ...known,
    channel,
    controlled: clock.controlled,
    seed,
    resources: options.resources,
    isReplayed: clock.kind === 'replay',
    receiver,
  }
  return { services, exchanges: () => exchangeCount, waits: gates.waits }
}

import type { RuleRow } from '../../generated/rules.ts'
import { demand, missing } from '../../target/claims.ts'
import { defaultPlane } from '../../target/defaults.ts'
import type { Hook, KeyName, PodStatus, Target } from '../../target/types.ts'
import { createPodClient, type PodClient } from '../client/pods.ts'
import type { Reply } from '../client/reply.ts'
import { createSender, type Line } from '../client/sender.ts'
import type { Actor } from '../clock/types.ts'
import { randomFrom } from '../common/random.ts'
import { membersOf, type PodView, podOf } from '../exchange/read.ts'
import type { PodTimes } from '../fixtures/pod-times.ts'
import { type Maker, makePod, planeOf } from '../fixtures/pods.ts'
import type { ResourceLedger } from '../fixtures/resources.ts'
import type { HookCall } from '../hooks/hooks.ts'
import type { Desk } from '../receiver/desk.ts'
import { createCheck } from '../rule/check.ts'
import type { Context, Settled } from '../rule/context.ts'
import { Blocked, Inconclusive, Unclaimed } from '../rule/outcome.ts'
import type { Variation } from '../variation/variation.ts'
import { createOwnPods, type OwnPods } from './own-pods.ts'
import { createQueueSide, type QueueSide } from './queue-side.ts'

/** What all owners of a run share. */
export interface Shared {
  readonly line: Line
  readonly target: Target
  readonly controlled: boolean
  readonly seed: number
  readonly resources: ResourceLedger
  readonly podTimes: PodTimes
  /** Runs the n-th hook of an owner; why it did not do its work, null where it did. */
  readonly hook: (owner: string, n: number, hook: Hook, call: Omit<HookCall, 'run'>) => Promise<string | null>
  /** The receiver of the run; null where the target does not reach the suite. */
  readonly desk: Desk | null
}

/** One line of activity with its own requests, pods and random numbers: a rule, or the making of a shared fixture. */
export interface Owner extends Pick<OwnPods, 'left'> {
  readonly name: string
  readonly actor: Actor
  /** Throws Unclaimed or NotApplicable where the target has no pod API. */
  readonly pods: PodClient
  as(key: KeyName): PodClient
  readonly settle: Context['settle']
  readonly random: () => number
  readonly queue: QueueSide
  /** Gives back what it reserved of the quota, gives up what is unanswered, and sends and runs nothing any more. */
  release(): void
  makePod(status: PodStatus, shape: Parameters<typeof makePod>[2], cpu: Maker['cpu']): Promise<PodView>
  maker(cpu: Maker['cpu']): Maker
}

/** A request that waited longer for the quota shows that it is scarce, ms. */
const heldUpMs = 2_000

export function createOwner(shared: Shared, name: string, actor: Actor): Owner {
  const { line, target, resources } = shared
  const queue = createQueueSide(shared, name, actor, () => sender)
  const sender = createSender(line, name, actor, queue.look)
  const { send, reserve } = sender
  actor.watch(queue.look)
  const random = randomFrom(shared.seed, name)
  const { left, creating, removed } = createOwnPods(resources)
  const clients = new Map<KeyName, PodClient>()
  let names = 0
  let hooks = 0
  let released = false

  function as(key: KeyName): PodClient {
    let client = clients.get(key)
    if (client === undefined) {
      demand(target, 'pods')
      demand(target, `key.${key}`)
      const value = target.keys[key]
      if (value === undefined) throw new Unclaimed(`keys.${key} is not given`)
      client = createPodClient({
        plane: planeOf(target),
        key: { name: key, value },
        send,
        sleep: (ms) => actor.sleep(ms),
        creating,
        removed,
      })
      clients.set(key, client)
    }
    return client
  }

  async function settle(
    id: string,
    done: (status: string, pod: PodView | null) => boolean,
    boundMs = target.tolerances.settleMs,
  ): Promise<Settled> {
    let pause = target.tolerances.pollMs
    let deadline: number | null = null
    for (;;) {
      const reply = await as('full').get(id)
      deadline ??= actor.now() + boundMs
      const pod = reply.status === 200 ? podOf(reply.json, reply.exchange.n) : null
      const status = pod?.status ?? (reply.status === 404 ? 'gone' : `answer ${reply.status}`)
      if (done(status, pod)) return { status, pod, reply, settled: true }
      if (actor.now() >= deadline) return { status, pod, reply, settled: false }
      await actor.sleep(Math.min(pause, Math.max(1, deadline - actor.now())))
      pause = Math.min(pause * 2, target.tolerances.pollMs * 4)
    }
  }

  const owner: Owner = {
    name,
    actor,
    get pods() {
      return as('full')
    },
    as,
    queue,
    settle,
    random,
    left,
    release() {
      released = true
      sender.abandon()
      sender.release()
    },
    maker: (cpu) => ({
      target,
      pods: as('full'),
      settle,
      cpu,
      reserve,
      async hook(hook, pod, status) {
        if (released) throw new Inconclusive('the hook was not run, for the run has ended what needs it')
        return actor.real(shared.hook(name, ++hooks, hook, { pod, status }))
      },
      nextName: () => `plumbline-${line.run}-${slug(name)}-${++names}`,
      sleep: (ms) => actor.sleep(ms),
      now: () => actor.now(),
      podTimes: shared.podTimes,
      async spareLooks(ms) {
        if (ms > 0 && sender.heldUpMs() > heldUpMs) await actor.pause(ms)
      },
      fellBack() {},
      lacksCapacity: (reply) => lacksCapacity(target, reply),
    }),
    makePod: (status, shape, cpu) => makePod(owner.maker(cpu), status, shape),
  }
  return owner
}

/** The context of a rule on top of its owner. */
export function createContext(
  shared: Shared,
  owner: Owner,
  row: RuleRow,
  fixture: Context['fixture'],
  vary: Variation,
  log: { clause(name: string): void; exercised(n: number): void; reading(name: string, value: string): void },
  freeWorkers: () => void,
): Context {
  return {
    row,
    target: shared.target,
    get pods() {
      return owner.pods
    },
    as: owner.as,
    get queue() {
      return owner.queue.as('full')
    },
    queueAs: owner.queue.as,
    fixture,
    vary,
    looks: looksOf(shared, vary),
    clock: owner.actor,
    check: (clause) => createCheck(clause, log),
    settle: owner.settle,
    found: owner.queue.found,
    follow: owner.queue.follow,
    ended: owner.queue.ended,
    begun: owner.queue.begun,
    stoodStill: (first, last) => shared.controlled && first.exchange.sent.target === last.exchange.received.target,
    reading: log.reading,
    part(need) {
      if (![...row.needs, ...row.parts].includes(need)) {
        throw new Error(`${row.id} has no part ${need}: list it under parts in its row`)
      }
      return missing(shared.target, need) === null
    },
    freeWorkers,
    offers: (need) => missing(shared.target, need) === null,
    random: owner.random,
    unissuedToken: `plumbline-never-issued-${Math.floor(owner.random() * 2 ** 50).toString(36)}`,
    blocked(by, reason) {
      throw new Blocked(by, reason)
    },
    inconclusive(reason) {
      throw new Inconclusive(reason)
    },
    lacksCapacity: (reply) => lacksCapacity(shared.target, reply),
  }
}

/** Second looks: on a controlled clock until everything has settled, on a real one at the moment drawn. */
function looksOf({ controlled, target }: Shared, vary: Variation): Context['looks'] {
  const later = controlled ? [5_000, 20_000, target.tolerances.settleMs] : []
  return () => (controlled ? [1_000, ...later] : [Number(vary.draw('look')) * 1_000])
}

function lacksCapacity({ pods }: Target, reply: Reply): boolean {
  const pattern = new RegExp(pods?.capacity ?? defaultPlane.capacity, 'i')
  if (reply.status < 400 || reply.status === 401 || reply.status === 403) return false
  const members = membersOf(reply.json)
  return pattern.test(`${members?.title ?? ''} ${members?.detail ?? ''} ${members?.error ?? ''}`)
}

/** A pod name may hold letters, digits and hyphens only, and few of them. */
function slug(name: string): string {
  return name
    .replace(/[^a-z0-9]+/gi, '-')
    .toLowerCase()
    .slice(0, 40)
}

import type { RuleRow } from '../../generated/rules.ts'
import type { KeyName } from '../../target/types.ts'
import { missing } from '../claims/claims.ts'
import { createSender } from '../client/sender.ts'
import type { Actor } from '../clock/types.ts'
import { randomFrom } from '../common/random.ts'
import { type AccessOf, type ClientOf, createAccess } from '../planes/access.ts'
import { createInboxes, type OwnerContext, type RunServices } from '../planes/owner.ts'
import type { PlaneAccess } from '../planes/plane.ts'
import { addShorthands } from '../planes/shorthands.ts'
import type { Shorthands } from '../planes/types.ts'
import { createCheck } from '../rule/check.ts'
import type { Context } from '../rule/context.ts'
import { Blamed, Blocked, Inconclusive, notJudgedText } from '../rule/outcome.ts'
import type { Variation } from '../variation/variation.ts'

/** One activity with its own requests, resources and random numbers: a rule, or the making of a shared fixture. */
export type Owner = ReturnType<typeof createOwner>

export function createOwner(services: RunServices, name: string, actor: Actor) {
  const used = new Map<string, PlaneAccess>()
  let released = false
  let names = 0
  const look = () => {
    for (const access of used.values()) access.look?.()
  }
  const host: OwnerContext = {
    services,
    name,
    actor,
    sender: createSender(services.channel, name, actor, look),
    inboxes: createInboxes(name, services.receiver),
    nextName: () => `plumbline-${services.channel.runId}-${shortOf(name)}-${++names}`,
    isReleased: () => released,
    pending: (foundation, isFailing) => services.foundations.pending(name, actor, foundation, isFailing),
    rely: (foundation, observed) => services.foundations.rely(name, foundation, observed),
    blame({ rule, later = null }, reason) {
      throw new Blamed(rule, later, reason)
    },
    waitOnce: (what, wait) => services.longWaits.once(name, what, wait),
  }
  actor.watch(look)

  /** Its access to a plane, made on first use. */
  function on<Name extends string>(plane: Name): AccessOf<Name> {
    const known = used.get(plane) ?? createAccess(plane, host)
    used.set(plane, known)
    return known as AccessOf<Name>
  }

  return {
    ...host,
    random: randomFrom(services.seed, name),
    on,
    /** Its access to the planes that it has used. */
    allAccess: () => used.values(),
    /** Releases its reserved quota, gives up unanswered requests, and sends and runs nothing more. */
    release(): void {
      released = true
      host.sender.abandon()
      host.sender.release()
    },
  }
}

/** The context of a rule on top of its owner. */
export function createContext(
  services: RunServices,
  owner: Owner,
  row: RuleRow,
  fixture: Context['fixture'],
  vary: Variation,
  log: { clause(name: string): void; exercised(n: number): void; reading(name: string, value: string): void },
  freeWorkers: () => void,
): Context {
  const rereadDelays = rereadDelaysOf(services, vary)
  const context: Omit<Context, keyof Shorthands> = {
    row,
    target: services.target,
    fixture,
    nextName: owner.nextName,
    vary,
    rereadDelays,
    lastRereadMs: () => Math.max(...rereadDelays()),
    clock: owner.actor,
    check: (clause) => createCheck(clause, log),
    async relies(foundation, observed) {
      await owner.pending(foundation, observed !== undefined)
      owner.rely(foundation, observed)
    },
    rely: owner.rely,
    blame: owner.blame,
    waitOnce: owner.waitOnce,
    came: services.longWaits.came,
    on: <Name extends string>(plane: Name, key: KeyName = 'full') => owner.on(plane).as(key) as ClientOf<Name>,
    stoodStill: (first, last) => services.controlled && first.exchange.sent.target === last.exchange.received.target,
    reading: log.reading,
    notJudged: (name, reason) => log.reading(name, notJudgedText(reason)),
    part(need) {
      if (![...row.needs, ...row.parts].includes(need)) {
        throw new Error(`${row.id} has no part ${need}: list it under parts in its row`)
      }
      return missing(services.target, need) === null
    },
    freeWorkers,
    offers: (need) => missing(services.target, need) === null,
    random: owner.random,
    unissuedToken: `plumbline-never-issued-${Math.floor(owner.random() * 2 ** 50).toString(36)}`,
    blocked(by, reason) {
      throw new Blocked(by, reason)
    },
    inconclusive(reason) {
      throw new Inconclusive(reason)
    },
  }
  return addShorthands(context, owner, services.target)
}

/** Short enough for platforms whose names have 40 characters, with what a project or a change adds. */
function shortOf(owner: string): string {
  return Math.floor(randomFrom(0, owner)() * 36 ** 6)
    .toString(36)
    .padStart(6, '0')
}

/** The last look on a controlled clock, ms: later than the times of a few minutes that services commonly have. */
const lastLookMs = 400_000

/** Second looks: on a controlled clock until long after everything has settled, on a real one at the moment drawn. */
function rereadDelaysOf({ controlled, target }: RunServices, vary: Variation): Context['rereadDelays'] {
  const later = controlled ? [5_000, 20_000, target.tolerances.settleMs, lastLookMs].sort((a, b) => a - b) : []
  return () => (controlled ? [1_000, ...later] : [Number(vary.draw('look')) * 1_000])
}

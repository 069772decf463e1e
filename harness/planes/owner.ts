import type { Hook, KeyName, Target } from '../../target/types.ts'
import { demand } from '../claims/claims.ts'
import { type Caller, type CallerOptions, createCaller } from '../client/caller.ts'
import type { Channel } from '../client/channel.ts'
import type { Sender } from '../client/sender.ts'
import type { Actor } from '../clock/types.ts'
import type { HookCall } from '../hooks/hooks.ts'
import type { Inbox } from '../receiver/inbox.ts'
import type { Receiver } from '../receiver/receiver.ts'
import type { WebhookAnswer } from '../receiver/types.ts'
import type { ResourceLedger } from '../record/resources.ts'
import { type Blocked, type Inconclusive, Unclaimed } from '../rule/outcome.ts'
import { sectionOf } from './index.ts'
import type { Foundation, Plane } from './plane.ts'

/** A wait for something that needs capacity, such as a worker. */
export interface LongWait<T> {
  /** The thing that waits, such as a job; default: another one in each wait. */
  readonly subject?: string
  readonly wait: () => Promise<T>
  /** Why a result shows that it was waited for in vain, which ends all rules that wait for the same; null if it does not. */
  readonly vain?: (result: T) => Blocked | Inconclusive | null | Promise<Blocked | Inconclusive>
}

/** Services that all owners of a run share. */
export interface RunServices {
  readonly channel: Channel
  readonly target: Target
  readonly controlled: boolean
  readonly seed: number
  readonly resources: ResourceLedger
  /** True in a replay, where nobody waits for another owner. */
  readonly isReplayed: boolean
  /** Runs the n-th hook of an owner. Resolves with the reason if it failed, else with null. */
  readonly hook: (owner: string, n: number, hook: Hook, call: Omit<HookCall, 'runId'>) => Promise<string | null>
  /** The receiver of the run; null if the target does not reach the suite. */
  readonly receiver: Receiver | null
  /** Knowledge of the foundations of all planes. */
  readonly foundations: {
    holds(foundation: Foundation): void
    pending(
      owner: string,
      actor: Pick<Actor, 'join'>,
      foundation: Foundation,
      isFailing?: boolean,
    ): Promise<void> | null
    rely(owner: string, foundation: Foundation, observed?: string): void
    failureOf(owner: string, actor: Pick<Actor, 'join'>, foundations: readonly Foundation[]): Promise<Blocked | null>
  }
  readonly longWaits: {
    came(what: string): void
    missed(what: string, subject: unknown, error: Blocked | Inconclusive): void
    endUnlessCame(owner: string, what: string, error: Blocked | Inconclusive): void
    once<T>(owner: string, what: string, wait: LongWait<T>): Promise<T>
  }
}

/** An owner as its access to the planes sees it. */
export interface OwnerContext {
  readonly services: RunServices
  readonly name: string
  readonly actor: Actor
  readonly sender: Sender
  readonly inboxes: ReturnType<typeof createInboxes>
  /** A name for something to create, which tells the run and the owner. */
  readonly nextName: () => string
  /** True once the owner has ended. */
  readonly isReleased: () => boolean
  /** Resolves once it is known whether a foundation holds; null if it is, or no rule is about to tell. */
  readonly pending: (foundation: Foundation, isFailing?: boolean) => Promise<void> | null
  /** Throws Blocked if the rule of a foundation has failed; if it was seen to work, only if the rule observed the same. */
  readonly rely: (foundation: Foundation, observed?: string) => void
  /** Ends the owner because a foundation does not work for it: throws Blocked by the rule that judges it. */
  readonly blame: (foundation: Foundation, reason: string) => never
  /** Waits for something that needs capacity. The run makes such a wait in vain only once. */
  readonly waitOnce: <T>(what: string, wait: LongWait<T>) => Promise<T>
}

/** The inboxes of one owner, on whichever plane it uses them. */
export function createInboxes(owner: string, receiver: Receiver | null) {
  const inboxes: Inbox[] = []
  return {
    /** One more; null if the target has no receiver. */
    open(script: readonly WebhookAnswer[] = [200]): Inbox | null {
      if (receiver === null) return null
      const inbox = receiver.inbox(owner, inboxes.length + 1, script)
      inboxes.push(inbox)
      return inbox
    },
    /** The one whose beacon has this address. */
    of: (beacon: unknown) => inboxes.find((inbox) => inbox.beacon.url === beacon),
    /** From here on the owner can see the arrivals so far. */
    look(): void {
      for (const inbox of inboxes) inbox.look()
    },
    /** Releases every hold. */
    releaseAll: () => receiver?.releaseAll(inboxes),
  }
}

/** The clients of an owner, one for each key, made on first use. Throws Unclaimed or NotApplicable. */
export function createClients<Client extends Caller>(
  plane: Plane,
  { services: { foundations, target }, sender }: OwnerContext,
  optionsOf: (key: KeyName) => Pick<CallerOptions, 'note' | 'repeat'>,
  clientOf: (caller: Caller) => Client,
): (key: KeyName) => Client {
  const clients = new Map<KeyName, Client>()
  return (name) => {
    const known = clients.get(name)
    if (known !== undefined) return known
    demand(target, plane.name)
    demand(target, `key.${name}`)
    const [value, section] = [target.keys[name], sectionOf(target, plane.name)]
    if (value === undefined || section === null) throw new Unclaimed(`keys.${name} is not given`)
    const key = { name, value }
    const options = optionsOf(name)
    const note: CallerOptions['note'] = (operation, call) => {
      const take = options.note(operation, call)
      return (response) => {
        take(response)
        if (name !== 'full' || call.authorization !== undefined) return
        for (const one of plane.foundations ?? []) if (one.isShownBy(operation, response)) foundations.holds(one)
      }
    }
    const resourceAt = (operation: string) =>
      operation === plane.creates?.list ? '' : (plane.creates?.resourceAt?.(section) ?? '')
    const client = clientOf(createCaller({ plane, section, key, sender, ...options, note, resourceAt }))
    clients.set(name, client)
    return client
  }
}

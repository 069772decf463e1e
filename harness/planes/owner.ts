import { demand } from '../../target/claims.ts'
import type { Hook, KeyName, Target } from '../../target/types.ts'
import { type Caller, type CallerOptions, createCaller } from '../client/caller.ts'
import type { Channel } from '../client/channel.ts'
import type { Sender } from '../client/sender.ts'
import type { Actor } from '../clock/types.ts'
import type { HookCall } from '../hooks/hooks.ts'
import type { Inbox } from '../receiver/inbox.ts'
import type { Receiver } from '../receiver/receiver.ts'
import type { WebhookAnswer } from '../receiver/types.ts'
import type { ResourceLedger } from '../record/resources.ts'
import { Unclaimed } from '../rule/outcome.ts'
import { sectionOf } from './index.ts'
import type { Plane } from './plane.ts'
import type { PodTimes } from './pods/pod-times.ts'

/** Services that all owners of a run share. */
export interface RunServices {
  readonly channel: Channel
  readonly target: Target
  readonly controlled: boolean
  readonly seed: number
  readonly resources: ResourceLedger
  readonly podTimes: PodTimes
  /** Runs the n-th hook of an owner. Resolves with the reason if it failed, else with null. */
  readonly hook: (owner: string, n: number, hook: Hook, call: Omit<HookCall, 'runId'>) => Promise<string | null>
  /** The receiver of the run; null if the target does not reach the suite. */
  readonly receiver: Receiver | null
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
  { services: { target }, sender }: OwnerContext,
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
    const client = clientOf(createCaller({ plane, section, key, sender, ...optionsOf(name) }))
    clients.set(name, client)
    return client
  }
}

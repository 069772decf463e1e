import type { Inbox } from '../receiver/inbox.ts'
import type { Receiver } from '../receiver/receiver.ts'
import type { WebhookAnswer } from '../receiver/types.ts'

/** The inboxes of one owner, on whichever plane it uses them. */
export interface Inboxes {
  /** One more; null if the target has no receiver. */
  open(script?: readonly WebhookAnswer[]): Inbox | null
  /** From here on the owner can see the arrivals so far. */
  look(): void
  /** Releases every hold. */
  releaseAll(): void
}

export function createInboxes(owner: string, receiver: Receiver | null): Inboxes {
  const inboxes: Inbox[] = []
  return {
    open(script = [200]) {
      if (receiver === null) return null
      const inbox = receiver.inbox(owner, inboxes.length + 1, script)
      inboxes.push(inbox)
      return inbox
    },
    look() {
      for (const inbox of inboxes) inbox.look()
    },
    releaseAll: () => receiver?.releaseAll(inboxes),
  }
}

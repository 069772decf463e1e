import { RawBody } from '../client/body.ts'
import type { Reply } from '../client/reply.ts'
import { textOf } from '../exchange/exchange.ts'
import { idIn, membersOf } from '../exchange/read.ts'
import type { ResourceLedger } from '../fixtures/resources.ts'

/** The pods that one owner created, each with a line in the ledger of resources. */
export interface OwnPods {
  /** Those that nobody removed: name to id, null where the id is not known. */
  readonly left: Map<string, string | null>
  /** Told before a creation is sent, and of what the answer was. */
  creating(body: unknown): (reply: Reply) => void
  /** Told of an id that was removed. */
  removed(id: string): void
}

export function createOwnPods(resources: ResourceLedger): OwnPods {
  const left = new Map<string, string | null>()
  let unnamed = 0

  return {
    left,
    creating(body) {
      const name = nameIn(body)
      const given = typeof name === 'string' ? name : `unnamed-${++unnamed}`
      if (given === name) {
        left.set(given, null)
        resources({ kind: 'pod', name: given, id: null, state: 'requested' })
      }
      return (reply) => {
        const id = reply.status < 300 ? idIn(reply.json) : null
        if (id === null) {
          // What was refused is looked for once at the end: the target's word is what is being judged.
          if (given === name && reply.status >= 400 && reply.status < 500) {
            left.delete(given)
            resources({ kind: 'pod', name: given, id: null, state: 'refused' })
          }
          return
        }
        left.set(given, id)
        resources({ kind: 'pod', name: given, id, state: 'created' })
      }
    },
    removed(id) {
      for (const [given, known] of left) {
        if (known !== id) continue
        left.delete(given)
        resources({ kind: 'pod', name: given, id, state: 'removed' })
      }
    },
  }
}

/** The name in the body of a creation; of one that is sent as bytes, what stands in its place. */
function nameIn(body: unknown): unknown {
  if (!(body instanceof RawBody)) return membersOf(body)?.name
  return /["']name["']\s*:\s*["']([^"'\\]+)/.exec(textOf(body.bytes) ?? '')?.[1]
}

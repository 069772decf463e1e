import type { OperationFacts } from '../../generated/operations.ts'
import type { RuleId } from '../../generated/rules.ts'
import type { TargetFile } from '../../generated/target-file.ts'
import type { KeyName, PlaneSection, Target } from '../../target/types.ts'
import type { Surroundings } from '../../target/values.ts'
import { type Allowance, createDocumentedRate } from '../client/allowance.ts'
import type { ApiResponse } from '../client/api-response.ts'
import type { Call, Caller, Described } from '../client/caller.ts'
import type { Outgoing } from '../client/channel.ts'
import type { Resource } from '../record/resources.ts'

/** A capability: something that a rule may need of a target. */
export interface Capability<Section = unknown> {
  readonly says: string
  /** Lines that claim it in a target file; null if no rule is judged by it yet. */
  readonly line: string | null
  given(section: Section, target: Target): boolean
  /** The line for a target that lacks it, although a default claims it; default: none is needed. */
  readonly lineWithout?: string
  /** False if a default, and not the file itself, claims it; default: true. */
  isWritten?(file: TargetFile): boolean
  /** A read that may show it; default: none does. */
  readonly look?: Look<Section>
}

/** A read that changes nothing and may show a capability. */
export interface Look<Section = unknown> {
  readonly operation: string
  /** Default: a request without ids. */
  call?(section: Section): Call
  /** The line that claims it, by the body of a successful response; null if that does not show it. */
  line(json: unknown, section: Section): string | null
}

/** A capability that every target with the plane has. */
export function always(says: string, line: string): Capability<never> {
  return { says, line, given: () => true }
}

/** A capability that a member of the section gives: it is true, or has a value. */
export function given<Section>(member: keyof Section, says: string, line: string): Capability<Section> {
  return { says, line, given: ({ [member]: value }) => value != null && value !== false }
}

/** The facts of an operation that the document does not have. */
export function notInDocument(
  plane: OperationFacts['plane'],
  more: Pick<OperationFacts, 'method' | 'path'> & Partial<OperationFacts>,
): OperationFacts {
  return { plane, held: false, consumed: false, body: null, success: [], rate: null, ...more }
}

/** How requests of a plane count for quotas. */
interface Pacing {
  /** Names the quota that a request counts for. */
  quotaOf(outgoing: Pick<Outgoing, 'operation' | 'endpoint' | 'key'>): string
  /** A new estimate of that quota; `longestMs` is the tolerance `rateWait`. */
  allowance(outgoing: Pick<Outgoing, 'operation'>, longestMs: number): Allowance
  /** True if another quota may count the request too. */
  mayCountElsewhere(outgoing: Pick<Outgoing, 'operation' | 'key'>): boolean
  /**
   * True if all requests of an account share the quota: the planner plans it, `budget.requestsPerMinute` bounds it, and
   * `budget.scenarios` bounds how many rules of the plane run at once.
   */
  readonly isOfAccount: boolean
  /** The request that shows how much of the quota is left; null if none does. */
  readonly refresh: string | null
}

/** Each operation has the rate of the description, on each endpoint if the plane has endpoints. */
export function perOperation(operations: Described['operations']): Pacing {
  return {
    quotaOf: ({ endpoint = '', operation }) => `${endpoint} ${operation}`,
    allowance: ({ operation }) => createDocumentedRate(operation, operations[operation]?.rate ?? null),
    mayCountElsewhere: ({ key }) => key !== 'full' && key !== 'second',
    isOfAccount: false,
    refresh: null,
  }
}

/** Resources that are created on a plane and removed after the run. Each has an id and the name that it was created with. */
interface Creates<Section = unknown> {
  /** Its name in messages. */
  readonly kind: string
  /** The beginning of its lines in the ledger of resources. */
  readonly line: { readonly kind: 'pod' } | { readonly kind: 'resource'; readonly plane: string }
  /** Operations by operationId; the path of `get` and `remove` has an `{id}`. */
  readonly create: string
  readonly list: string
  readonly get: string
  /** The capability of a target that has `get`; default: every target has it. */
  readonly getNeeds?: string
  readonly remove: string
  /** The call that removes it too, where `remove` does not. */
  readonly removeToo?: { readonly operation: string; readonly body: unknown }
  /** The call after which it can be removed if it is locked; null if the target has none. */
  unlock?(section: Section): { readonly operation: string; readonly body: unknown } | null
  /** Member of the list that holds the resources; empty if the response is the array itself. */
  listAt(section: Section): string
  /** Member of a response that holds the resource that it shows; default: the response itself. */
  resourceAt?(section: Section): string
  /** True if a quota counts all of them, so that a creation depends on those before it; default: false. */
  readonly areCounted?: boolean
  /** True if what `get` shows is gone already. */
  isGone(members: Readonly<Record<string, unknown>>): boolean
}

/** A request that shows whether an address is that of the plane. */
interface Probe<Section = unknown> {
  readonly asked: string
  readonly operation: string
  /** Default: a request without ids and body. */
  call?(section: Section): Call
  /** True if a successful response resembles the API. */
  resembles(json: unknown): boolean
  /** True if a server of another API may send it to all requests, such as an empty list; default: never. */
  isAmbiguous?(json: unknown): boolean
  /** Members that rules read, at the paths of the section, and that a response lacks, as a warning; null if it has all. */
  lackIn?(json: unknown, section: Section): string | null
}

/** A read of a resource that must be there. */
export interface Named {
  readonly key: string
  readonly id: string
  readonly operation: string
  readonly call: Call
}

/** Something that rules of a plane build on, and the rule that judges it. */
export interface Foundation {
  readonly rule: RuleId
  /** If one of these clauses of the rule fails before it was seen to work, nothing that builds on it can be judged. */
  readonly clauses: readonly string[]
  /** The rule that judges whether it goes on working; without one, nothing is known of an owner for which it does not. */
  readonly later?: RuleId
  /** True if a response to an operation, with the full key, shows that it works. */
  isShownBy(operation: string, response: ApiResponse): boolean
}

/** A plane as data: its address, operations and limits. */
export interface Plane<Section extends PlaneSection = PlaneSection> extends Described {
  /** Its key in the target file, and the need of all its rules. */
  readonly name: string
  /** In messages: `the pod API`. */
  readonly title: string
  /**
   * Areas whose rules are all about it. A rule of any other area is about the plane that its id names second
   * (`auth.queue.…`), else about the pod API.
   */
  readonly areas: readonly string[]
  readonly capabilities: Readonly<Record<string, Capability<Section>>>
  readonly pacing: Pacing
  /** Foundations of its rules. Their rules begin before all others, in this order. One that others rely on keeps no endpoint to itself. */
  readonly foundations?: readonly Foundation[]
  /** Null if nothing is created, or its access removes it otherwise. */
  readonly creates: Creates<Section> | null
  /** Operations that submit something that ends by itself, and its name in messages; left out if there are none. */
  readonly submits?: Readonly<Record<string, string>>
  /** Sent in turn before a run until a response resembles the API; none if the plane has no address. */
  readonly probes: readonly Probe<Section>[]
  /** Reads of the resources that the target file names, with the keys that name them; default: none is read. */
  named?(section: Section): readonly Named[]
  /** Keys of the target file to check if no response to a probe resembles the API. */
  readonly probeKeys: string
  /** True if its hosts may not respond for a while, so that none is given up; default: false. */
  readonly mayNotRespond?: boolean
  /** The kind of `plumbline load` that judges its limits; null if none does. */
  readonly load: 'pods' | 'limits' | null
  /** Reads its section of a target file, which the schema has checked; faults are reported, not thrown. */
  read(section: unknown, around: Surroundings, absent: Readonly<Record<string, string>>): Section
  /** Writes its section so that `read` reads the same; default: all members, and paths that are not the default. */
  write?(section: Section): Readonly<Record<string, unknown>>
  /** Its section for a record, with a mark for each secret; default: as it is. */
  describe?(section: Section): Section
  /** Names and values of its secrets, as the redactor takes them; default: none. */
  secrets?(section: Section): readonly (readonly [name: string, text: string])[]
}

/** A resource that an owner created and has not removed yet. */
export interface Removable {
  /** As the ledger of resources has it. */
  readonly of: Resource
  /** Notes that it is removed. */
  removed(): void
  /** Notes that it is kept on purpose; left out if it cannot be kept. */
  keep?(): void
}

/** The end of a resource; `gone`: it was over before, `never`: none was ever seen, `unseen`: it may not be visible yet. */
export type RemovalEnd = 'removed' | 'gone' | 'never' | 'unseen' | StillLeft

/** It may still be there, with the reason. */
export interface StillLeft {
  readonly reason: string
}

/** How a removal proceeds. */
export interface Removal {
  /** The run that created the resources. */
  readonly run: string
  readonly target: Target
  /** True if the ledger is all that is known of them, so that each is looked at before it is removed. */
  readonly isLater: boolean
  /** Time until the ttl of a job is over, ms; Infinity if unknown. Unless its status says otherwise, the job is over then. */
  readonly leftMs: (of: Resource) => number
  /** True if it was created so recently that reads may not show it yet. */
  readonly mayAppear: (of: Resource) => boolean
  /** Waits on the clock of the target, ms; false if its time cannot pass. */
  readonly sleep: (ms: number) => Promise<boolean>
}

/** Removes resources of one plane, whoever created them. Each function rejects as a request does. */
export interface Remover {
  remove(of: Resource, id: string): Promise<RemovalEnd>
  /** The ids of a resource whose id was never learned, or what became of it. */
  find(of: Resource): Promise<readonly string[] | RemovalEnd>
  /** Names and ids of this run that the list shows; left out if the plane has no list. */
  listed?(): Promise<readonly (readonly [name: string, id: string])[]>
}

/** An owner's access to a plane. Owners are rules, fixtures and probes. */
export interface PlaneAccess {
  /** The plane with one key. Throws Unclaimed or NotApplicable if the target lacks either. */
  as(key: KeyName): Caller
  removables(): readonly Removable[]
  /** Removes what others created; left out if nothing is created on the plane. */
  remover?(removal: Removal): Remover
  /** Lets the owner see everything that has arrived so far. */
  look?(): void
  /** Releases everything that waits for this owner. */
  releaseAll?(): void
}

import type { PodOperation } from '../harness/exchange/exchange.ts'
import type { ChangeField, HealthPaths, KnownFailure, PodStatus, QueuePath, StreamForm } from './types.ts'

/** A target file as its author writes it, once the schema holds. `docs/target-file.md` explains each key. */
export interface TargetFile {
  readonly plumbline: 1
  readonly name?: string
  /** One of `pods` and `queue` is there. */
  readonly pods?: string | PodsSection
  readonly queue?: QueueSection
  readonly receiver?: ReceiverSection
  readonly keys: KeysSection
  readonly absent?: Readonly<Record<string, string>>
  readonly clock?: 'real' | { readonly url: string }
  readonly tolerances?: Readonly<Partial<Record<ToleranceName, string>>>
  readonly budget?: BudgetSection
  readonly known?: readonly (Omit<KnownFailure, 'clause'> & { readonly clause?: string })[]
}

export interface BudgetSection {
  readonly scenarios?: number
  readonly requestsPerMinute?: number
  readonly jobPrice?: number
  readonly podPricePerHour?: number
}

export interface PodsSection {
  readonly url: string
  readonly allowPlainHttp?: boolean
  readonly paths?: Readonly<Partial<Record<PodOperation, string>>>
  readonly listAt?: string
  readonly flavorsAt?: string
  readonly image?: string
  readonly extra?: Readonly<Record<string, unknown>>
  readonly gpu?: Readonly<Record<string, unknown>>
  readonly cpu?: 'catalog' | Readonly<Record<string, unknown>>
  readonly catalog?: boolean
  readonly persistent?: { readonly size: number; readonly path: string }
  readonly volume?: string
  readonly volumeSecond?: string
  readonly volumeElsewhere?: string
  readonly volumePath?: string
  readonly statuses?: Readonly<Partial<Record<PodStatus, RecipeSection>>>
  readonly change?: ChangeField
  readonly capacity?: string
}

export interface RecipeSection {
  readonly body?: Readonly<Record<string, unknown>>
  readonly actions?: readonly string[]
  /** An address, a command line, or the words of a command. */
  readonly hook?: string | readonly string[]
}

export interface QueueSection {
  readonly url: string
  readonly allowPlainHttp?: boolean
  readonly paths?: Readonly<Partial<Record<QueuePath, string>>>
  readonly endpoints: {
    readonly normal: string
    readonly dedicated?: string
    readonly second?: string
    readonly twoWorkers?: string
    readonly scaleToZero?: string
    readonly executionTimeout?: { readonly id: string; readonly after: string }
    readonly noExecutionTimeout?: string
  }
  readonly worker?: boolean
  readonly workers?: number
  readonly perWorkerRate?: number
  readonly stream?: boolean | Partial<StreamForm>
  readonly health?: Partial<HealthPaths>
  readonly requests?: boolean
  readonly openai?: boolean
}

export interface ReceiverSection {
  readonly listen: string
  readonly url?: string
}

export interface KeysSection {
  readonly full: string
  readonly second?: string
  readonly restricted?: string | RestrictedSection
  readonly expired?: string
  readonly stranger?: string
}

export interface RestrictedSection {
  readonly key: string
  readonly may?: readonly string[]
  readonly mayNot?: readonly string[]
}

export type ToleranceName =
  | 'settle'
  | 'poll'
  | 'visible'
  | 'windowSlack'
  | 'answer'
  | 'connect'
  | 'rateWait'
  | 'coldStart'
  | 'dispatch'
  | 'webhook'
  | 'webhookSpacing'
  | 'webhookMean'
  | 'outage'
  | 'retries'
  | 'hook'
  | 'sweep'

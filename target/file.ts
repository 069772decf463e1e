import type { ToleranceName } from './defaults.ts'
import type {
  Budget,
  DeployCommand,
  DeployPlane,
  Grants,
  HealthPaths,
  KeyName,
  KnownFailure,
  ManagementPlane,
  PodPlane,
  PodStatus,
  QueuePlane,
  StreamForm,
} from './types.ts'

/** A target file as written by its author, valid against the schema. `docs/target-file.md` explains each key. */
export interface TargetFile {
  readonly plumbline: 1
  readonly name?: string
  /** At least one of `pods`, `queue`, `lb` and `management` is present. */
  readonly pods?: string | PodsSection
  readonly queue?: QueueSection
  readonly lb?: LbSection
  readonly management?: ManagementSection
  readonly deploy?: DeploySection
  readonly openapi?: { readonly url: string; readonly allowPlainHttp?: boolean }
  readonly receiver?: ReceiverSection
  readonly keys: KeysSection
  readonly absent?: Readonly<Record<string, string>>
  readonly clock?: 'real' | { readonly url: string }
  readonly tolerances?: Readonly<Partial<Record<ToleranceName, string>>>
  readonly budget?: Optional<Budget>
  readonly known?: readonly (Omit<KnownFailure, 'clause'> & { readonly clause?: string })[]
}

export interface PodsSection extends Optional<Omit<PodPlane, 'url' | 'paths' | 'recipes'>> {
  readonly url: string
  readonly allowPlainHttp?: boolean
  readonly paths?: Optional<PodPlane['paths']>
  readonly statuses?: Readonly<Partial<Record<PodStatus, RecipeSection>>>
}

/** Any of these members, but none that is null. */
type Optional<T> = { readonly [K in keyof T]?: NonNullable<T[K]> }

export interface RecipeSection {
  readonly body?: Readonly<Record<string, unknown>>
  readonly actions?: readonly string[]
  /** An address, a command line, or the words of a command. */
  readonly hook?: string | readonly string[]
}

export interface QueueSection
  extends Optional<Pick<QueuePlane, 'worker' | 'workers' | 'perWorkerRate' | 'input' | 'requests' | 'openai'>> {
  readonly url: string
  readonly allowPlainHttp?: boolean
  readonly paths?: Optional<QueuePlane['paths']>
  readonly endpoints: { readonly normal: string } & Optional<Omit<QueuePlane['endpoints'], 'executionTimeout'>> & {
      readonly executionTimeout?: { readonly id: string; readonly after: string }
    }
  readonly stream?: boolean | Partial<StreamForm>
  readonly health?: Partial<HealthPaths>
}

export interface LbSection {
  readonly allowPlainHttp?: boolean
  readonly endpoints: { readonly normal: string; readonly second?: string; readonly unknown?: string }
  readonly worker?: boolean
}

export interface ManagementSection extends Optional<Omit<ManagementPlane, 'url' | 'paths' | 'template'>> {
  readonly url: string
  readonly allowPlainHttp?: boolean
  readonly paths?: Optional<ManagementPlane['paths']>
  readonly template: string
}

export interface DeploySection
  extends Readonly<Record<Exclude<DeployCommand, 'call'>, readonly string[]>>,
    Optional<Pick<DeployPlane, 'environment' | 'manifest' | 'preinstalled' | 'worker'>> {
  readonly call?: readonly string[]
  readonly limit?: string
}

export interface ReceiverSection {
  readonly listen: string
  readonly url?: string
}

export interface KeysSection extends Optional<Record<Exclude<KeyName, 'full' | 'restricted' | 'altered'>, string>> {
  readonly full: string
  readonly restricted?: string | ({ readonly key: string } & Partial<Grants>)
}

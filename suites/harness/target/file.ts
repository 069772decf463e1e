import type { PodOperation } from '../exchange.ts'
import type { KnownFailure, PodStatus, Recipe } from './types.ts'

/** A target file as its author writes it, once the schema holds. `docs/target-file.md` explains each key. */
export interface TargetFile {
  readonly plumbline: 1
  readonly name?: string
  readonly pods: string | PodsSection
  readonly keys: KeysSection
  readonly absent?: Readonly<Record<string, string>>
  readonly clock?: 'real' | { readonly url: string }
  readonly tolerances?: Readonly<Partial<Record<ToleranceName, string>>>
  readonly budget?: { readonly scenarios?: number }
  readonly known?: readonly (Omit<KnownFailure, 'clause'> & { readonly clause?: string })[]
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
  readonly persistent?: { readonly size: number; readonly path: string }
  readonly volume?: string
  readonly volumeSecond?: string
  readonly volumePath?: string
  readonly statuses?: Readonly<Partial<Record<PodStatus, Partial<Recipe>>>>
  readonly capacity?: string
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

export type ToleranceName = 'settle' | 'poll' | 'visible' | 'windowSlack' | 'answer' | 'connect' | 'rateWait'

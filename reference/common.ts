import type { Tables } from '../generated/tables.ts'
import type { Validator } from '../generated/validators.ts'
import type { IssuedKey } from './auth/accounts.ts'
import type { ReferenceClock } from './clock/types.ts'
import type { Life } from './life.ts'
import type { Style } from './style.ts'

/** The schemas that request bodies are held against. */
export type RequestSchema =
  | 'PodCreate'
  | 'PodUpdate'
  | 'PodActionRequest'
  | 'JobSubmission'
  | 'EndpointCreate'
  | 'EndpointUpdate'

/** The parts that all planes of a reference share. */
export interface Common {
  readonly clock: ReferenceClock
  readonly tables: Tables
  readonly validators: { readonly [S in RequestSchema]: Validator }
  readonly life: Life
  readonly style: Style
  /** By bearer token. */
  readonly keys: ReadonlyMap<string, IssuedKey>
}

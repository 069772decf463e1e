import { stringify } from 'yaml'
import { createEmbedded, targetFileOf } from '../reference/embedded.ts'
import type { ReferenceOptions } from '../reference/index.ts'
import { parseTarget } from '../suites/harness/target/load.ts'
import type { EmbeddedTarget, Target } from '../suites/harness/target/types.ts'

let target: Target | undefined

/** The reference in this process as a target, on a clock of its own. `change` is laid over its options. */
export function embed(change?: (options: ReferenceOptions) => ReferenceOptions): EmbeddedTarget {
  const { fetch, control } = createEmbedded(change)
  target ??= referenceTarget('https://reference.test', 'control')
  return { fetch, control, target }
}

/** What the target file of a reference at `url` says; its keys are the published examples. */
export function referenceTarget(url: string, clock: 'real' | 'control'): Target {
  return parseTarget(stringify(targetFileOf({ url, clock })), { file: 'the reference', environment: {} })
}

import { stringify } from 'yaml'
import { defaultTool } from '../reference/deploy/index.ts'
import { createEmbedded, embeddedUrl, targetFileOf } from '../reference/embedded.ts'
import { composeOptions, type ReferenceOptions } from '../reference/options.ts'
import { parseTarget } from '../target/load.ts'
import type { EmbeddedTarget, Target } from '../target/types.ts'
import { withReferenceTool } from './tool.ts'
import type { Variant } from './types.ts'

let reference: Target | undefined

/**
 * The reference in this process as a target, with variants composed, on a clock of its own. Two instances share nothing.
 * @throws OptionError if the variants contradict each other.
 */
export function createInstance(variants: readonly Variant[] = []): EmbeddedTarget {
  const { fetch, control, reach } = createEmbedded((options) => withVariants(options, variants))
  const tool = variants.reduce((options, variant) => variant.tool?.(options) ?? options, defaultTool)
  const target = variants.reduce((target, { file }) => file?.(target) ?? target, embeddedTarget())
  const host = { nowMs: async () => (await control.state()).nowMs, addressOf: addressesIn(target) }
  return { fetch: withReferenceTool(fetch, host, tool), control, reach, target }
}

/** The addresses of load-balanced endpoints, made like that of the normal one. */
export function addressesIn({ lb }: Target): (id: string) => string | null {
  const normal = lb?.endpoints.normal ?? ''
  return (id) => (/\bnormal\b/.test(normal) ? normal.replace(/\bnormal\b/, id) : null)
}

/** The target of `check --reference`. */
export const embed = (): EmbeddedTarget => createInstance()

/** The target file of an instance without variants. */
export function embeddedTarget(): Target {
  reference ??= referenceTarget(embeddedUrl, 'control')
  return reference
}

/** The target file of a reference at `url`; its keys are the published examples. */
export function referenceTarget(url: string, clock: 'real' | 'control'): Target {
  return parseTarget(stringify(targetFileOf({ url, clock })), { file: 'the reference', environment: {} })
}

/** Options with variants laid over them: changes in their order, wrappers from inside out. */
export function withVariants(options: ReferenceOptions, variants: readonly Variant[]): ReferenceOptions {
  return variants.reduce((changed, { change, wrap }) => {
    const next = change?.(changed) ?? changed
    return wrap === undefined ? next : composeOptions(next, { wrapFetch: wrap })
  }, options)
}

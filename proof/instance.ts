import { stringify } from 'yaml'
import type { EmbeddedTarget } from '../harness/transport/embedded.ts'
import { defaultTool } from '../reference/deploy/index.ts'
import { createEmbedded, embeddedUrl, targetFileOf } from '../reference/embedded.ts'
import { composeOptions, type ReferenceOptions } from '../reference/options.ts'
import type { Target } from '../target/types.ts'
import { parseTarget } from '../target-file/load.ts'
import { withReferenceTool } from './tool.ts'
import type { Fetch, Variant } from './types.ts'

let reference: Target | undefined

/**
 * The reference in this process as a target, with variants composed, on a clock of its own. Two instances share nothing.
 * @throws OptionError if the variants contradict each other.
 */
export function createInstance(variants: readonly Variant[] = []): EmbeddedTarget {
  const { fetch, control, reach } = createEmbedded((options) => withVariants(options, variants))
  const target = describedBy(variants, embeddedTarget())
  const nowMs = async () => (await control.state()).nowMs
  return { fetch: withToolOf(variants, target, fetch, nowMs), control, reach, target }
}

/** `fetch`, which also answers the commands of the deployment tool that these variants have. */
export function withToolOf(
  variants: readonly Variant[],
  target: Target,
  fetch: Fetch,
  nowMs: () => Promise<number>,
): Fetch {
  const tool = variants.reduce((options, variant) => variant.tool?.(options) ?? options, defaultTool)
  return withReferenceTool(fetch, { nowMs, addressOf: addressesIn(target) }, tool)
}

/** The target file of a reference with these variants. */
export function describedBy(variants: readonly Variant[], target: Target): Target {
  return variants.reduce((described, { file }) => file?.(described) ?? described, target)
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

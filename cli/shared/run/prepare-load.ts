import { statfsSync } from 'node:fs'
import { planeOfRule, sectionOf } from '../../../harness/planes/index.ts'
import type { LoadOptions } from '../../../harness/run/options.ts'
import { describeEstimate, type Estimate, estimateOf, refusalBeyond } from '../../../load/caps.ts'
import { leftOutOf } from '../../../load/claims.ts'
import { findK6 } from '../../../load/k6/find.ts'
import { LoadError } from '../../../load/load-error.ts'
import { mixedSteps } from '../../../load/mixed/plan.ts'
import { limitSteps, smokeSteps } from '../../../load/queue/steps.ts'
import type { Target } from '../../../target/types.ts'
import { isLoopback } from '../../../target/values.ts'
import { UsageError } from '../errors.ts'
import type * as commands from '../options.ts'
import { moduleUrl } from '../package-paths.ts'
import type { Terminal } from '../terminal.ts'

/** The options of a load, alone or after `check`. */
export type LoadFlags = Pick<
  commands.OptionsOf<typeof commands.load>,
  'iOwnThis' | 'maxRequests' | 'maxSeconds' | 'windowScale' | 'segments' | 'quiet'
>

type LoadShape = Pick<Partial<LoadOptions>, 'isSmoke' | 'mixed'> & {
  /** True if the plans are driven one after the other. */
  readonly isSequential?: boolean
}

export interface PreparedLoad {
  readonly options: LoadOptions
  readonly estimate: Estimate
}

/** Bytes that k6 writes for a request, compressed, and what the rest of a run takes. */
const BYTES_A_REQUEST = 200
const SPARE_BYTES = 64 * 1024 * 1024

/**
 * Plans the load of these rules, and says what it takes.
 * @throws UsageError if the target may not be loaded, a cap is exceeded, or nothing can be loaded.
 */
export function planLoad(
  rules: readonly string[],
  target: Target,
  { iOwnThis, maxRequests = 200_000, maxSeconds: given, windowScale = 1, quiet }: LoadFlags,
  terminal: Terminal,
  { isSmoke = false, mixed, isSequential = false }: LoadShape = {},
) {
  const planes = rules.map((id) => planeOfRule(id).name)
  refuseAddresses(new Set([...planes, ...(mixed === undefined ? [] : ['pods'])]), target, windowScale, iOwnThis)
  const leftOut = leftOutOf(rules, target)
  const claimed = new Set(rules.filter((id) => !leftOut.has(id)))
  const [missing] = leftOut.values()
  if (claimed.size === 0) throw new UsageError(`nothing to load: ${missing?.message ?? 'no rule was selected'}`)
  const scope = target.queue === null ? null : { queue: target.queue, rules: claimed, windowScale }
  const limits = scope === null ? [] : [...smokeSteps(scope), ...(isSmoke ? [] : limitSteps(scope))]
  const steps = mixed === undefined ? limits : mixedSteps(mixed, windowScale)
  const estimate = estimateOf(isSequential ? steps.map((step) => ({ ...step, isAlone: true })) : steps)
  // The length of a mixed load was stated.
  const maxSeconds = given ?? (mixed === undefined ? 3600 : estimate.seconds)
  // The load on the pod API follows from its quota, which its first response states.
  if (!quiet && steps.length > 0) terminal.err(describeEstimate(estimate, target.budget.jobPrice))
  const refusal = refusalBeyond(estimate, { maxRequests, maxSeconds })
  if (refusal !== null) throw new UsageError(refusal)
  const options = { rules: [...rules].sort(), windowScale, isSmoke, maxRequests, maxSeconds }
  return { limits, estimate, options: { ...options, ...(mixed !== undefined && { mixed }) } }
}

/**
 * Makes ready to drive the load of these rules: plans it and finds k6, or builds it.
 * @throws UsageError as `planLoad` does, or if there is no k6.
 */
export async function prepareLoad(
  rules: readonly string[],
  target: Target,
  flags: LoadFlags,
  terminal: Terminal,
  shape: LoadShape = {},
): Promise<PreparedLoad> {
  const { options, estimate } = planLoad(rules, target, flags, terminal, shape)
  const { path, version } = await foundK6(terminal)
  const module = moduleUrl('load/drive')
  const { segments } = flags
  return {
    options: { ...options, k6: { path, version }, module, ...(segments !== undefined && { segments }) },
    estimate,
  }
}

/** k6 knows only real time, and only a local reference has windows of another length. */
function refuseAddresses(
  planes: ReadonlySet<string>,
  target: Target,
  windowScale: number,
  iOwnThis: string | undefined,
): void {
  const urls = [...planes].flatMap((name) => sectionOf(target, name)?.url ?? [])
  refuseUnowned(urls, iOwnThis)
  if (target.clock !== 'real') {
    throw new UsageError(
      'load runs in real time, but the target file has a controlled clock; serve the target with --clock real',
    )
  }
  if (windowScale !== 1 && !urls.every((url) => isLoopback(new URL(url).hostname))) {
    throw new UsageError(
      '--window-scale is only for a reference on this machine; other targets have the documented rates',
    )
  }
}

/**
 * Load goes to this machine, or to a host with its owner's permission. Throws UsageError for another address, and for a
 * statement about another host than the target's.
 */
export function refuseUnowned(urls: readonly string[], stated: string | undefined): void {
  const hosts = [...new Set(urls.map((url) => new URL(url)))].filter(({ hostname }) => !isLoopback(hostname))
  const foreign = hosts.find(({ hostname, host }) => stated !== hostname && stated !== host)
  if (foreign !== undefined) {
    const said = stated === undefined ? '' : `, not of ${stated}`
    throw new UsageError(
      `load on ${foreign.hostname} needs the permission of its owner${said}; add --i-own-this ${foreign.hostname} if that is you`,
    )
  }
}

async function foundK6({ environment, err }: Terminal) {
  try {
    return await findK6({ env: environment, onBuild: (message) => err(`plumbline: ${message}`) })
  } catch (error) {
    if (error instanceof LoadError) throw new UsageError(error.message)
    throw error
  }
}

/** Throws UsageError if the disk of a folder is too full for the points of so many requests. */
export function refuseFullDisk(path: string, { requests }: Estimate): void {
  const { bavail, bsize } = statfsSync(path)
  const needed = requests * BYTES_A_REQUEST + SPARE_BYTES
  if (bavail * bsize >= needed) return
  const megabytes = (bytes: number) => Math.ceil(bytes / 1024 / 1024)
  throw new UsageError(
    `a record of this load may take ${megabytes(needed)} MB, and the disk of ${path} has ${megabytes(bavail * bsize)} MB left; choose another folder with --out`,
  )
}

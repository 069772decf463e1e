import type { Drive } from '../../load/conduct.ts'
import { findK6 } from '../../load/k6/find.ts'
import type { LoadRequests } from '../../load/k6/script-plan.ts'
import { LoadError } from '../../load/load-error.ts'
import type { Step } from '../../load/queue/steps.ts'
import { runLoad } from '../../load/run.ts'
import { UsageError } from '../errors.ts'
import { version } from '../home.ts'
import type { Terminal } from '../terminal.ts'
import { describeEstimate, estimateOf, refuseBeyond } from './caps.ts'
import { type LoadFolder, openLoadFolder } from './folder.ts'
import type { LoadOptions } from './session.ts'

export interface DriverOptions {
  /** All steps that may be driven. */
  readonly steps: readonly Step[]
  readonly requests: LoadRequests
  readonly urls: Readonly<Record<string, string>>
  readonly run: string
  readonly token: string
  /** Removes secrets from texts of the target. */
  readonly clean: (text: string) => string
  /** Highest price of a job, USD; null if unknown. */
  readonly jobPrice: number | null
  readonly options: LoadOptions
  readonly terminal: Terminal
  readonly signal: AbortSignal
  /** Receives each process of k6. */
  readonly onStart?: (process: number) => void
}

export interface Driver {
  readonly drive: Drive
  readonly folder: LoadFolder
  readonly k6: string
}

/**
 * Prints the bounds of the load, and prepares to drive it. Throws UsageError if a cap is exceeded, if there is no
 * k6, and if the disk is too full for the record.
 */
export async function openDriver(given: DriverOptions): Promise<Driver> {
  const { steps, requests, urls, run, token, clean, jobPrice, options, terminal, signal, onStart } = given
  const estimate = estimateOf(steps)
  if (!options.quiet) terminal.err(describeEstimate(estimate, jobPrice))
  refuseBeyond(estimate, options)
  const { path: k6, version: k6Version } = await foundK6(terminal, signal)
  const folder = openLoadFolder(terminal.cwd, options.out, estimate.requests, clean)
  const drive: Drive = ({ name, plan, rules }, fills) => {
    const userAgent = `plumbline/${version()} (run ${run}; rule ${rules[0] ?? 'smoke'})`
    return runLoad({
      plan,
      requests,
      fills,
      k6,
      urls,
      token,
      userAgent,
      folder: folder.next(name),
      signal,
      ...(onStart !== undefined && { onStart }),
    })
  }
  return { drive, folder, k6: k6Version }
}

async function foundK6({ environment, err }: Terminal, signal: AbortSignal) {
  try {
    return await findK6({ env: environment, told: (message) => err(`plumbline: ${message}`), signal })
  } catch (error) {
    if (error instanceof LoadError) throw new UsageError(error.message)
    throw error
  }
}

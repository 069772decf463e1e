import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { parse } from 'yaml'
import { podStatuses, tables } from '../../generated/tables.ts'
import { membersOf } from '../../harness/exchange/read.ts'
import {
  type BalancedOffer,
  createControlledClock,
  createReference,
  defaultBalanced,
  defaultEndpoints,
  type EndpointOffer,
  OptionError,
  type PodOffer,
  type ReferenceOptions,
} from '../../reference/index.ts'
import { UsageError } from '../shared/errors.ts'
import { readFault } from '../shared/records/output-folders.ts'

/** The beginning of a reference (`--state`), as its options. */
export interface InitialState {
  readonly endpoints: readonly EndpointOffer[]
  readonly balanced: readonly BalancedOffer[]
  readonly pods: readonly PodOffer[]
}

type Members = Readonly<Record<string, unknown>>

const standard = {
  endpoints: { workersMin: 0, workersMax: 3, coldStartMs: 2_000, idleTimeoutMs: 5_000 },
  lb: { workers: 1 },
}
/** The options of an endpoint of each section, all whole numbers. */
const numbers: Readonly<Record<keyof typeof standard, readonly string[]>> = {
  endpoints: [...Object.keys(standard.endpoints), 'executionTimeoutMs'],
  lb: Object.keys(standard.lb),
}
const statuses = podStatuses.filter((status) => status !== 'TERMINATED')

/**
 * Reads a state file (docs/mock.md). Its endpoints exist beside the usual ones, and replace those of the same id.
 * @throws UsageError with all faults, one per line, if the file is not a state file, has more workers than an account may
 * have, or has endpoints or pods that the reference does not take.
 */
export function readState(cwd: string, file: string): InitialState {
  const faults: string[] = []
  const fault = (what: string) => void faults.push(`${file}: ${what}`)
  const whole = membersOf(contentOf(cwd, file))
  if (whole === null) fault('it is not a mapping of endpoints, lb and pods')
  const { endpoints, lb, pods = [], ...others } = whole ?? {}
  for (const unknown of Object.keys(others)) fault(`unknown key ${unknown}; a state file has endpoints, lb and pods`)
  if (!Array.isArray(pods)) fault('pods is not a list')
  const own = {
    endpoints: offersIn('endpoints', endpoints).map((offer) => ({ ...standard.endpoints, ...offer })),
    balanced: offersIn('lb', lb).map((offer) => ({ ...standard.lb, ...offer })),
    pods: (Array.isArray(pods) ? (pods as readonly unknown[]) : []).map(podOf),
  }
  const state = {
    endpoints: beside<EndpointOffer>(defaultEndpoints, own.endpoints),
    balanced: beside<BalancedOffer>(defaultBalanced, own.balanced),
    pods: own.pods,
  }
  checkQuota(state.endpoints)
  // One by one, because the reference reports its first fault about endpoints only.
  for (const endpoint of own.endpoints) tryWith({ endpoints: [endpoint] })
  for (const endpoint of own.balanced) tryWith({ balanced: [endpoint] })
  tryWith({ pods: own.pods })
  if (faults.length > 0) throw new UsageError(faults.join('\n'))
  return state

  function offersIn(section: keyof typeof standard, given: unknown = {}): { readonly id: string }[] {
    const entries = membersOf(given)
    if (entries === null) fault(`${section} is not a mapping from ids to options`)
    return Object.entries(entries ?? {}).flatMap(([id, options]) => {
      const faultsBefore = faults.length
      const members: Members | null = options === null ? {} : membersOf(options)
      if (members === null) fault(`${section}.${id} is not a mapping of options`)
      for (const [name, value] of Object.entries(members ?? {})) {
        if (!numbers[section].includes(name))
          fault(`unknown option ${section}.${id}.${name}; known are ${numbers[section].join(', ')}`)
        else if (!Number.isSafeInteger(value) || Number(value) < 0)
          fault(`${section}.${id}.${name} must be a whole number, not ${JSON.stringify(value)}`)
      }
      return faults.length > faultsBefore ? [] : [{ id, ...members }]
    })
  }

  function podOf(pod: unknown, place: number): PodOffer {
    const members = membersOf(pod)
    if (members === null) return { body: pod }
    const { status, ...body } = members
    const known = statuses.find((one) => one === status)
    if (known === undefined && status !== undefined)
      fault(`pods[${place}].status must be one of ${statuses.join(', ')}, not ${JSON.stringify(status)}`)
    return { body, ...(known !== undefined && { status: known }) }
  }

  function tryWith(options: Partial<ReferenceOptions>): void {
    try {
      createReference({ clock: createControlledClock(0).clock, ...options }).close()
    } catch (error) {
      if (!(error instanceof OptionError)) throw error
      for (const line of error.message.split('\n')) fault(line.replace(/^Option /, '').replace(/^balanced\b/, 'lb'))
    }
  }

  /** More workers than the quota would have been refused by endpoint management (heading Limits). */
  function checkQuota(all: readonly EndpointOffer[]): void {
    const workers = all.reduce((sum, { workersMax }) => sum + workersMax, 0)
    const { workers: quota } = tables.quotas
    if (workers <= quota) return
    const usual = defaultEndpoints.map(({ id, workersMax }) => `${id} ${workersMax}`).join(', ')
    fault(
      `all endpoints together have a workersMax of ${workers}, and an account may have ${quota}; ` +
        `lower it, if need be that of the usual endpoints (${usual}) by giving them here`,
    )
  }
}

/** The usual offers and those given, which replace the usual ones of the same id. */
function beside<T extends { readonly id: string }>(usual: readonly T[], given: readonly T[]): readonly T[] {
  return [...usual.filter(({ id }) => !given.some((one) => one.id === id)), ...given]
}

function contentOf(cwd: string, file: string): unknown {
  const path = resolve(cwd, file)
  try {
    // Reading a device or a pipe may never end.
    const kind = statSync(path)
    if (!kind.isFile()) throw new Error(`it is a ${kind.isDirectory() ? 'folder' : 'device or pipe'}`)
    return parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new UsageError(`--state ${file} cannot be read: ${readFault(error).split('\n')[0]}`)
  }
}

import type { Target } from '../../target/types.ts'
import { planeOfOperation, sectionOf } from '../planes/index.ts'
import { unlessUnanswered } from '../rule/outcome.ts'
import type { Owner } from './owner.ts'

/** The operation by which the plane of another one is probed; null if it is not. */
export function probeOf(operation: string): string | null {
  return planeOfOperation(operation).probes[0]?.operation ?? null
}

/** Probes the plane of an operation; resolves with the status, or null without a response. */
export async function statusOfProbe(operation: string, owner: Owner, target: Target): Promise<number | null> {
  const { name, probes } = planeOfOperation(operation)
  const [probe] = probes
  if (probe === undefined) return null
  const call = probe.call?.(sectionOf(target, name) as never)
  const sent = owner
    .on(name)
    .as('full')
    .call(probe.operation, { ...call, raw429: true, atOnce: true, onceIfLate: true })
  return (await unlessUnanswered(sent))?.status ?? null
}

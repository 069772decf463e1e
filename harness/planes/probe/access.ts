import { hash } from 'node:crypto'
import type { ProbePlane } from '../../../target/types.ts'
import { sectionOf } from '../index.ts'
import { createClients, type OwnerContext } from '../owner.ts'
import { createProbeClient } from './client.ts'
import { probe } from './plane.ts'

/** Characters of a token. */
const tokenLength = 32

/** An owner's access to the probes in its pods. */
export function createProbeAccess(host: OwnerContext) {
  const { channel, seed, target } = host.services
  // Made of run and seed, so that a replay makes it again.
  const token = hash('sha256', `probe ${channel.runId} ${seed} ${host.name}`).slice(0, tokenLength)
  return {
    as: createClients(
      probe,
      host,
      () => ({ note: () => () => {} }),
      (caller) => createProbeClient(caller, sectionOf(target, probe.name) as ProbePlane, token),
    ),
    removables: () => [],
  }
}

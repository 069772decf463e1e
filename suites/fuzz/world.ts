import fc from 'fast-check'
import { tables } from '../../generated/tables.ts'
import { membersOf } from '../../harness/exchange/read.ts'
import type { PodPlane } from '../../target/types.ts'
import { arbitraryOf } from './arbitrary.ts'

/** The material of PATCH bodies: the volumes and mounts that the target file names. */
export type World = Pick<PodPlane, 'volume' | 'volumeSecond' | 'volumePath' | 'persistent'>

/** Valid action bodies. */
export const actionBodies: fc.Arbitrary<unknown> = arbitraryOf('PodActionRequest')

/** Submissions that the schema accepts and nobody is notified of; an arbitrary of addresses takes most of a second to make. */
export const submissionBodies: fc.Arbitrary<unknown> = arbitraryOf('JobSubmission', {
  'JobSubmission.webhook': fc.constant('https://example.com'),
}).map((body) => Object.fromEntries(Object.entries(membersOf(body) ?? {}).filter(([name]) => name !== 'webhook')))

/** All actions of the description. */
export const actionNames = Object.keys(tables.transitions) as (keyof typeof tables.transitions)[]

/**
 * PATCH bodies that the schema accepts, with mounts of this world more often than others. What would change more about
 * the pod than its name and its mount is left out.
 */
export function patchBodies({ volume, volumeSecond, volumePath, persistent }: World): fc.Arbitrary<unknown> {
  const own = volume ?? 'volume'
  const volumes = fc.constantFrom(own, own, own, volumeSecond ?? own, 'no-such-volume')
  const size = persistent?.size ?? 10
  const overrides = {
    'NetworkMount.volumeId': volumes,
    'NetworkMount.path': paths(volumePath),
    'PersistentMount.path': paths(persistent?.path ?? '/workspace'),
    'PersistentMount.size': fc.constantFrom(size, size, size, size + 10),
  }
  // One kind of mount, whole, is what a mutator breaks in one way; the schema permits both kinds and an empty list.
  const mounts = fc.oneof(
    { arbitrary: fc.record({ network: fc.tuple(arbitraryOf('NetworkMount', overrides)) }, whole), weight: 4 },
    { arbitrary: fc.record({ persistent: arbitraryOf('PersistentMount', overrides) }, whole), weight: 4 },
    { arbitrary: arbitraryOf('MountsRequest', overrides), weight: 1 },
  )
  return fc.record(
    { mounts, name: fc.constantFrom('plumbline-a', 'plumbline-b') },
    { requiredKeys: ['mounts'], noNullPrototype: true },
  )
}

const whole = { noNullPrototype: true } as const

function paths(usual: string): fc.Arbitrary<string> {
  return fc.oneof(
    { arbitrary: fc.constantFrom(usual, `${usual}-b`, '/data', '/a/b'), weight: 8 },
    { arbitrary: fc.string({ maxLength: 12 }), weight: 1 },
  )
}

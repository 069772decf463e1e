import { expect, test } from 'vitest'
import { Unverified } from '../rule/outcome.ts'
import { createResourceLedger, type ResourceLine } from './resources.ts'

const pod = { kind: 'pod', name: 'a', id: null } as const

test.each<[string, ResourceLine, boolean]>([
  ['the first line', { kind: 'run', run: 'r0123456789', targetFile: null, urls: {} }, true],
  ['a creation', { ...pod, state: 'requested' }, true],
  ['a load', { kind: 'endpoint', endpoint: 'a', url: 'http://a.test', state: 'loaded' }, true],
  ['an id', { ...pod, id: 'p1', state: 'created' }, false],
  ['a removal', { ...pod, id: 'p1', state: 'removed' }, false],
])(
  'where the disk is full, %s that cannot be written ends what it belongs to only if it comes first',
  (_, line, ends) => {
    const write = () => createResourceLedger('/dev/full')(line)
    if (ends)
      expect(write).toThrow(
        new Unverified(
          'the disk is full (ENOSPC), so /dev/full cannot be written, and nothing is created that it does not name',
        ),
      )
    else expect(write()).toBeUndefined()
  },
)

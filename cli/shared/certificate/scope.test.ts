import { expect, test } from 'vitest'
import { allNeeds } from '../../../harness/claims/needs.ts'
import { referenceTarget } from '../../../proof/instance.ts'
import { parseTarget } from '../../../target-file/load.ts'
import { refuseUnclaimed, scopeOf, unjudgedProfiles } from './scope.ts'

const small = parseTarget('plumbline: 1\npods: http://127.0.0.1:1\nkeys: {full: plumbline-example-full}\n', {
  file: 'small.yaml',
  environment: {},
})
const real = referenceTarget('http://127.0.0.1:1', 'real')
const controlled = referenceTarget('http://127.0.0.1:1', 'control')

test.each([
  ['a pod API', small, undefined, ['core'], ['limits']],
  ['all in real time', real, undefined, ['core', 'deploy', 'deploy-size', 'inside', 'long'], ['limits']],
  ['all on a controlled clock', controlled, undefined, ['core', 'deploy', 'deploy-size', 'inside', 'long'], []],
  ['a list', real, 'core,limits', ['core'], ['limits']],
])('the profiles of %s', (_, target, list, always, byLoad) => {
  expect(scopeOf(target, list)).toEqual({ always, byLoad })
})

test.each([
  [real, 'limits', '--profile: limits is judged by load, once; add a profile that all three runs can judge'],
  [controlled, 'core,limits', '--profile: limits needs load; load runs in real time'],
  [real, 'nope', '--profile: unknown profile "nope"'],
])('the list %# is refused', (target, list, message) => {
  expect(() => scopeOf(target, list)).toThrow(message)
})

test('a target file that leaves something open is refused at once', () => {
  const left = /declares absent: global-networking, .*, lb, .*queue, .*, or absent: {global-networking: REASON}$/
  expect(() => refuseUnclaimed(small, scopeOf(small, undefined))).toThrow(left)
  const absent = Object.fromEntries(Object.keys(allNeeds()).map((need) => [need, 'not offered']))
  expect(() => refuseUnclaimed({ ...small, absent }, scopeOf(small, undefined))).not.toThrow()
})

test('claimed profiles that are not judged have a reason', () => {
  expect(unjudgedProfiles(['core', 'deploy', 'deploy-size', 'inside'], controlled)).toEqual([
    { profile: 'limits', reason: 'load runs in real time, and the clock of the target is controlled' },
    { profile: 'long', reason: 'left out by --profile' },
  ])
})

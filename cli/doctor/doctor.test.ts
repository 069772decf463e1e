import { expect, test } from 'vitest'
import { parseDocument } from 'yaml'
import { parseTarget } from '../../target-file/load.ts'
import { diagnose } from './doctor.ts'

const pods = 'plumbline: 1\npods: https://a.test\nkeys: {full: plumbline-example-full}\n'

function doctor(text: string): string[] {
  return diagnose(parseTarget(text, { file: 'target.yaml', environment: {} }), text)
}

test('hints fit together: no place is written twice', () => {
  const lines = doctor(pods)
  const hints = lines.filter((line) => line.startsWith('    to claim it') || line.startsWith('    if the target'))
  const places = hints.flatMap((line) => {
    const below = /add below (\S+): (.*)$/.exec(line)
    if (below === null) return []
    const { contents } = parseDocument(`{${below[2]}}`)
    return Object.keys((contents as unknown as { toJSON(): object }).toJSON()).map((key) => `${below[1]}.${key}`)
  })
  expect(places.length).toBeGreaterThan(10)
  expect(places).toEqual([...new Set(places)])
  expect(hints.filter((line) => line.includes('write instead'))).toHaveLength(1)
  expect(hints.filter((line) => line.endsWith(': ') || line.endsWith(':'))).toEqual([])
})

test('needs of a plane that is not given are not listed', () => {
  const needs = doctor(pods).flatMap((line) => /^ {2}(\S+):/.exec(line)?.[1] ?? [])
  expect(needs).toContain('queue')
  expect(needs).toContain('volume')
  expect(
    needs.filter((need) => ['worker', 'receiver', 'stream', 'endpoint.second', 'lb.worker'].includes(need)),
  ).toEqual([])
})

test('a need can be declared absent that is claimed by default', () => {
  const queue = 'queue: {url: https://q.test, endpoints: {normal: e}}\nabsent: {stream: not offered}\n'
  expect(doctor(`plumbline: 1\n${queue}keys: {full: plumbline-example-full}\n`).join('\n')).toContain(
    'stream: not offered',
  )
})

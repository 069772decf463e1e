import { describe, expect, test } from 'vitest'
import type { Members } from '../../harness/exchange/read.ts'
import type { PodShape } from '../../harness/fixtures/types.ts'
import { createControlledClock } from '../../reference/clock/controlled.ts'
import { createService } from '../../reference/settings.ts'
import { casesOf, isText, put, refusalTables, wrongBody } from '../../suites/shared/table.ts'
import { createInstance } from '../instance.ts'
import { derivedDefects } from './index.ts'
import { isCase } from './tools.ts'

const { target } = createInstance()
const caller = { user: 'user-1', permissions: '*' } as never

/** A valid body of a shape, as the reference takes it. */
function bodyOf({ kind = 'gpu', mount = 'none', more = {} }: PodShape): Members {
  const mounts = {
    none: {},
    network: { mounts: { network: [{ volumeId: 'vol-1', path: '/a' }] } },
    persistent: { mounts: { persistent: { size: 10, path: '/a' } } },
  }
  const hardware =
    kind === 'gpu' ? { gpu: { id: 'gpu-a', count: 1 } } : { cpu: { id: 'cpu3c', vcpuCount: 2, memory: 4 } }
  return { name: 'a', image: 'b', ...hardware, ...mounts[mount], ...more }
}

/** The constraints that a creation violates on the reference. */
function violated(body: unknown): string[] {
  const found = new Set<string>()
  const enforces = () => (constraint: string) => {
    found.add(constraint)
    return false
  }
  const service = createService({ clock: createControlledClock(0).clock, parts: { enforces } })
  service.parts.createPod(body, caller, service)
  return [...found]
}

const shapesOf: Readonly<Partial<Record<string, PodShape>>> = {
  'pods.create.volume-elsewhere': { mount: 'network', more: { dataCenterIds: ['dc-1'] } },
}

const cases = refusalTables().flatMap(({ id, table }) =>
  (table.arrange.each(() => true) as readonly PodShape[]).flatMap((shape) =>
    casesOf(table)
      .filter(({ wrong }) => !isText(wrong))
      .map((one) => ({ ...one, id, table, valid: bodyOf(shapesOf[id] ?? shape) })),
  ),
)

describe.each(cases)('$id, $name', ({ id, name, table, wrong, valid }) => {
  const body = JSON.parse(JSON.stringify(wrongBody(wrong, valid, target)))

  test.skipIf(id === 'pods.create.neither' || name === 'no memory')('violates exactly one constraint', () => {
    expect(violated(valid)).toEqual([])
    expect(violated(body)).toHaveLength(1)
  })

  test('is told from the valid body and from the other cases by its body', () => {
    expect(isCase(wrong, valid)).toBe(false)
    expect(
      casesOf(table)
        .filter((other) => isCase(other.wrong, body))
        .map((other) => other.name),
    ).toEqual([name])
  })
})

test('a body that violates two constraints is told as such', () => {
  expect(violated(put('disk', 0)({ ...bodyOf({}), cloud: 'PRIVATE' }))).toHaveLength(2)
})

test('each refusal table has defects that accept, refuse with another status, fail, and carry out', () => {
  const ids = derivedDefects.filter(({ rule }) => rule === 'pods.create.disk').map(({ id }) => id)
  expect(ids.filter((id) => id.includes('-zero-'))).toEqual([
    'pods-create-disk-zero-accepted',
    'pods-create-disk-zero-400',
    'pods-create-disk-zero-500',
    'pods-create-disk-zero-carried-out',
  ])
})

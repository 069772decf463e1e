import { describe, expect, test } from 'vitest'
import { type OperationFacts, type OperationId, operations } from '../../generated/operations.ts'
import type { Members } from '../../harness/exchange/read.ts'
import { createBench } from '../../reference/testing/bench.ts'
import { casesOf, isText, refusalTables, wrongBody } from '../../suites/shared/table.ts'
import { embeddedTarget } from '../instance.ts'
import { derivedDefects } from './index.ts'
import { tableOperation } from './operations.ts'
import { isCase } from './requests.ts'
import { allBranches } from './tools.ts'

interface Example {
  readonly body: Members
  readonly pod?: Members
}

/** The constraints that a request violates on a reference that enforces none of them. */
async function violated(operation: OperationId, { pod }: Example, body: unknown): Promise<string[]> {
  const found = new Set<string>()
  const { call, create } = createBench({
    parts: {
      enforces: () => (constraint) => {
        found.add(constraint)
        return false
      },
    },
  })
  const id = pod === undefined ? '' : await create(pod)
  const { method, path }: OperationFacts = operations[operation]
  const { status } = await call(method, path.replace('{id}', id).replace('{endpoint}', 'normal'), {
    body: JSON.stringify(body),
  })
  expect(status).toBeLessThan(300)
  return [...found]
}

/** Tables whose valid body is not that of their shape. */
const validOf: Readonly<Partial<Record<string, Members>>> = {
  'pods.create.volume-elsewhere': { dataCenterIds: ['dc-1'] },
}
/** Cases that the reference accepts. */
const accepted = new Set(['pods.create.neither neither', 'pods.create.cpu-required no memory'])

const cases = refusalTables.flatMap(({ id, table }) =>
  table.arrange.each(allBranches).flatMap((branch) => {
    const operation = table.arrange.operation(branch)
    const { branchName, example } = tableOperation(operation)
    const { body, pod } = example(branch)
    const valid = { ...body, ...validOf[id] }
    return casesOf(table)
      .filter(({ wrong }) => !isText(wrong))
      .map((one) => ({ ...one, id, of: branchName(branch), table, operation, branch, valid, pod }))
      .map((one) => ({ ...one, body: wrongBody(one.wrong, valid, embeddedTarget(), branch) }))
      .filter((one) => one.body !== undefined)
  }),
)

describe.each(cases)(
  '$id $of, $name $member',
  ({ id, name, member, table, wrong, valid, pod, body, operation, branch }) => {
    const sent = JSON.parse(JSON.stringify(body))
    const example = { body: valid, ...(pod === undefined ? {} : { pod }) }

    test.skipIf(accepted.has(`${id} ${name}`))('violates exactly one constraint', async () => {
      expect(await violated(operation, example, valid)).toEqual([])
      expect(await violated(operation, example, sent)).toHaveLength(1)
    })

    test('differs from the valid body and from the other cases', () => {
      expect(isCase({ operation, branch, wrong }, valid)).toBe(false)
      const same = casesOf(table).filter((other) => isCase({ operation, branch, wrong: other.wrong }, sent))
      expect(same.map((other) => [other.name, other.member])).toEqual([[name, member]])
    })
  },
)

const texts = refusalTables.flatMap(({ id, table }) =>
  casesOf(table).flatMap(({ name, wrong }) => (isText(wrong) ? [{ id, name, text: wrong.text }] : [])),
)

test.each(texts)('$id, $name: is not JSON in UTF-8', ({ text }) => {
  const bytes = Buffer.from(text('{"action":"stop"}'))
  expect(() => JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))).toThrow()
})

test('a body that violates two constraints is found', async () => {
  const example = tableOperation('createPod').example({})
  expect(await violated('createPod', example, { ...example.body, disk: 0, cloud: 'PRIVATE' })).toHaveLength(2)
})

test.each([
  ['pods.create.disk', 'zero', ['accepted', '400', '500', 'carried-out']],
  ['pods.patch.other-volume', 'second-volume-cpu-network', ['accepted', '422', '500', 'carried-out']],
])('%s has defects that accept, refuse with another status, fail, and carry out', (rule, of, ends) => {
  const ids = derivedDefects.filter((defect) => defect.rule === rule).map(({ id }) => id)
  for (const end of ends) expect(ids.filter((id) => id.includes(of) && id.endsWith(end))).toHaveLength(1)
})

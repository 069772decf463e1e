import { pluralize } from '../../harness/common/pluralize.ts'
import { branchName } from '../../harness/variation/variation.ts'
import { casesOf, isText, type RefusalTable, type Registered, wrongBody } from '../../suites/shared/table.ts'
import { embeddedTarget } from '../instance.ts'
import type { Defect } from '../types.ts'
import { tableOperation } from './operations.ts'
import { answering, type Wronged } from './requests.ts'
import { allBranches, defectsOf, type Fault, otherStatus, successOf } from './tools.ts'

/** Milliseconds until a refused request is carried out. */
const laterMs = 1_000

/** The defects of a table: each case of each branch goes wrong in each way. */
export function refusalDefects({ id, table }: Registered<RefusalTable>): Defect[] {
  const { arrange } = table
  const branches = arrange.each(allBranches)
  return casesOf(table).flatMap(({ name, member, wrong, statuses }, at) =>
    branches.flatMap((branch) => {
      const operation = arrange.operation(branch)
      const { branchName: wordsOf, effect, carryOut, example } = tableOperation(operation)
      const body = wrongBody(wrong, example(branch).body, embeddedTarget(), branch)
      if (body === undefined) return []
      const fault = (fault: Omit<Fault, 'change'>, answer: (wronged: Wronged) => Promise<Response>): Fault => ({
        ...fault,
        change: answering({ branch, operation, wrong }, answer),
      })
      const refusing = (status: number, says: string) =>
        fault({ id: `${status}`, says, clause: name, observed: `status ${status}` }, ({ refuse }) => refuse(status))
      const why = isText(wrong)
        ? 'because the reader makes out what was meant'
        : 'because the constraint that it violates is missing'
      const other = otherStatus(statuses)
      const seen = effect(name, branch, body)
      const isLater = at % 2 === 1
      const faults = [
        ...(statuses.includes('2XX')
          ? []
          : [
              fault(
                {
                  id: 'accepted',
                  says: `is accepted, ${why}`,
                  clause: name,
                  observed: `status ${successOf(operation)}`,
                },
                ({ accept }) => accept(),
              ),
            ]),
        ...(other === null ? [] : [refusing(other, `is refused with ${other}`)]),
        refusing(500, 'is answered 500'),
        ...(seen === null
          ? []
          : [
              fault(
                {
                  ...seen,
                  id: isLater ? 'carried-out-later' : 'carried-out',
                  says: `is refused, and ${seen.says} ${isLater ? `${pluralize(laterMs / 1_000, 'second')} later` : 'all the same'}`,
                },
                async (wronged) => {
                  const { clock } = wronged.service()
                  const act = () => (carryOut === undefined ? wronged.accept() : carryOut(wronged))
                  const refusal = await wronged.refuse(statuses.find((one) => typeof one === 'number') ?? 400)
                  if (isLater) clock.schedule(clock.now() + laterMs, () => void act())
                  else await act()
                  return refusal
                },
              ),
            ]),
      ]
      const of = member === undefined ? name : `${name}: ${member}`
      const words = branches.length === 1 ? of : `${of} (${wordsOf(branch)})`
      const inBranch = arrange.varies.includes('branch') ? { branch: branchName(branch) } : {}
      if (member === undefined) return defectsOf(id, words, faults, inBranch)
      // The other faults do not depend on what is sent.
      const own = faults.filter((one) => one.id === 'accepted')
      return defectsOf(id, words, own, { ...inBranch, sample: member })
    }),
  )
}

import { pluralize } from '../../harness/common/pluralize.ts'
import type { PodShape } from '../../harness/fixtures/types.ts'
import { Refusal } from '../../reference/index.ts'
import type { PartWrappers } from '../../reference/parts.ts'
import { casesOf, type Expected, isText, type RefusalTable, type Registered } from '../../suites/shared/table.ts'
import { parts } from '../defects/tools.ts'
import type { Defect } from '../types.ts'
import { textFaults } from './texts.ts'
import {
  branchName,
  creating,
  defectsOf,
  type Fault,
  isBranch,
  isCase,
  laterMs,
  type Meant,
  otherStatus,
} from './tools.ts'

/** The defects of a table: each case of each branch goes wrong in each way. */
export function refusalDefects({ id, table }: Registered<RefusalTable>): Defect[] {
  const branches = table.arrange.each(() => true) as readonly PodShape[]
  return casesOf(table).flatMap(({ name, wrong, statuses }, at) =>
    branches.flatMap((branch) => {
      const of = branches.length === 1 ? '' : ` (${branchName(branch)})`
      const faults = isText(wrong)
        ? textFaults(name, wrong, statuses, at % 2 === 1)
        : bodyFaults(name, statuses, at % 2 === 1, (body) => isBranch(branch, branches, body) && isCase(wrong, body))
      return defectsOf(id, `${name}${of}`, faults)
    }),
  )
}

function bodyFaults(name: string, statuses: readonly Expected[], isLater: boolean, isMeant: Meant): Fault[] {
  const other = otherStatus(statuses)
  const refusing = (status: number): Pick<Fault, 'clause' | 'observed' | 'change'> => ({
    clause: name,
    observed: `status ${status}`,
    change: parts(refused(isMeant, status)),
  })
  return [
    ...(statuses.includes('2xx')
      ? []
      : [
          {
            id: 'accepted',
            says: 'is accepted, because the constraint that it violates is missing',
            clause: name,
            observed: 'status 201',
            change: parts(unconstrained(isMeant)),
          },
        ]),
    ...(other === null ? [] : [{ id: String(other), says: `is refused with ${other}`, ...refusing(other) }]),
    { id: '500', says: 'is answered 500', ...refusing(500) },
    {
      id: isLater ? 'carried-out-later' : 'carried-out',
      says: `is refused, and a pod is created ${isLater ? `${pluralize(laterMs / 1_000, 'second')} later` : 'all the same'}`,
      clause: 'no-pod',
      observed: `a pod of: ${name}`,
      change: parts(carriedOut(isMeant, statuses.find((one) => typeof one === 'number') ?? 400, isLater ? laterMs : 0)),
    },
  ]
}

/** One constraint is missing for these bodies: the first that they violate. */
function unconstrained(isMeant: Meant): PartWrappers {
  return {
    enforces: (original) => {
      let missing: string | null = null
      return (constraint, body) => {
        if (!isMeant(body)) return original(constraint, body)
        missing ??= constraint
        return constraint !== missing
      }
    },
  }
}

/** These bodies are refused with a status. */
function refused(isMeant: Meant, status: number): PartWrappers {
  return creating(isMeant, () => {
    throw new Refusal(status, 'this body is not taken')
  })
}

/** These bodies are refused, and a pod is created as if they had violated nothing. */
function carriedOut(isMeant: Meant, status: number, ms: number): PartWrappers {
  let isLenient = false
  return {
    enforces: (original) => (constraint, body) => !isLenient && original(constraint, body),
    ...creating(isMeant, (create, { clock }) => {
      clock.schedule(clock.now() + ms, () => {
        isLenient = true
        create()
        isLenient = false
      })
      throw new Refusal(status, 'this body is not taken')
    }),
  }
}

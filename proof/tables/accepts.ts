import { membersOf, show } from '../../harness/exchange/read.ts'
import type { PodShape } from '../../harness/planes/pods/fixtures/types.ts'
import type { AcceptTable, Registered } from '../../suites/shared/table.ts'
import type { Defect } from '../types.ts'
import { tableOperation } from './operations.ts'
import { answering, type Wronged } from './requests.ts'
import { allBranches, defectsOf, type Fault } from './tools.ts'

/** The defects of a table: each case of each branch is refused, is lost, or shows another value of a member. */
export function acceptDefects({ id, table }: Registered<AcceptTable>): Defect[] {
  const branches = table.each(allBranches)
  return Object.entries(table.cases).flatMap(([name, wrong], at) =>
    branches.flatMap((branch) => {
      const operation = table.operation(branch)
      const { branchName } = tableOperation(operation)
      const fault = (fault: Omit<Fault, 'change'>, answer: (wronged: Wronged) => Promise<Response>): Fault => ({
        ...fault,
        change: answering({ branch, operation, wrong }, answer),
      })
      const refused = (id: string, says: string, status: number, detail?: string) =>
        fault({ id, says, clause: 'accepted', observed: `status ${status}` }, ({ refuse }) => refuse(status, detail))
      // Members of every body go wrong in the first case alone.
      const own = table.shows.filter(
        (member) => (at === 0 && isPlain(member, branch as PodShape)) || member in (membersOf(wrong) ?? {}),
      )
      return defectsOf(id, branches.length === 1 ? name : `${name} (${branchName(branch)})`, [
        refused('400', 'is refused with 400', 400),
        refused('500', 'is answered 500', 500),
        refused('no-capacity', 'is refused for lack of capacity, which there is', 400, 'no capacity'),
        fault(
          { id: 'lost', says: 'is accepted, and there is no pod afterwards', clause: 'there', observed: 'status 404' },
          async ({ serve, service }) => {
            const response = await serve()
            const { id } = (await response.clone().json()) as { readonly id: string }
            const { store } = service()
            const pod = store.get(id)
            if (pod !== undefined) store.remove(pod)
            return response
          },
        ),
        ...own.map((member) => {
          const value = others[member]
          return fault(
            {
              id: `other-${member}`,
              says: `is accepted, and the pod has another ${member}`,
              clause: member,
              observed: `${member} ${show(value)}`,
            },
            ({ body, serve }) => serve(JSON.stringify({ ...body, [member]: value })),
          )
        }),
      ])
    }),
  )
}

/** Values that no body of a table has. */
const others: Readonly<Record<string, unknown>> = {
  name: 'another',
  image: 'another',
  args: 'another',
  disk: 20,
  ports: [],
  env: {},
  cloud: 'COMMUNITY',
  gpu: { id: 'gpu-b', count: 1 },
  cpu: { id: 'cpu3m', vcpuCount: 2, memory: 4 },
  mounts: {},
}

/** True for a member that every body of a branch has. */
function isPlain(member: string, { kind, mount = 'none' }: PodShape): boolean {
  return ['name', 'image', kind].includes(member) || (member === 'mounts' && mount !== 'none')
}

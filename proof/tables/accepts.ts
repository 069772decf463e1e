import { membersOf, show } from '../../harness/exchange/read.ts'
import type { PodShape } from '../../harness/fixtures/types.ts'
import { Refusal, type StoredPod } from '../../reference/index.ts'
import type { AcceptTable, Registered } from '../../suites/shared/table.ts'
import { parts } from '../defects/tools.ts'
import type { Defect } from '../types.ts'
import { branchName, creating, defectsOf, type Fault, isBranch, isCase, type Meant } from './tools.ts'

/** The defects of a table: each case of each branch is refused, is not kept, or shows another value of a member. */
export function acceptDefects({ id, table }: Registered<AcceptTable>): Defect[] {
  const branches = table.each(() => true) as readonly PodShape[]
  return Object.entries(table.cases).flatMap(([name, change], at) =>
    branches.flatMap((branch) => {
      const of = branches.length === 1 ? '' : ` (${branchName(branch)})`
      const isMeant: Meant = (body) => isBranch(branch, branches, body) && isCase(change, body)
      // Members that every body has go wrong in the first case alone.
      const own = table.shows.filter(
        (member) => (at === 0 && isPlain(member, branch)) || member in (membersOf(change) ?? {}),
      )
      return defectsOf(id, `${name}${of}`, [...refused(isMeant), ...own.map((member) => altered(member, isMeant))])
    }),
  )
}

function refused(isMeant: Meant): Fault[] {
  const answers = [
    ['400', 'is refused with 400', 400, 'this body is not taken'],
    ['500', 'is answered 500', 500, 'this body is not taken'],
    ['no-capacity', 'is refused for want of capacity, which there is', 400, 'no capacity'],
  ] as const
  return [
    ...answers.map(([id, says, status, detail]) => ({
      id,
      says,
      clause: 'accepted',
      observed: `status ${status}`,
      change: parts(
        creating(isMeant, () => {
          throw new Refusal(status, detail)
        }),
      ),
    })),
    {
      id: 'lost',
      says: 'is accepted, and there is no pod afterwards',
      clause: 'there',
      observed: 'status 404',
      change: parts(
        creating(isMeant, (create, { store }) => {
          const pod = create()
          store.remove(pod)
          return pod
        }),
      ),
    },
  ]
}

/** Values that no body of a table has. */
const others: Readonly<Record<string, Partial<StoredPod>>> = {
  name: { name: 'another' },
  image: { image: 'another' },
  args: { args: 'another' },
  disk: { disk: 20 },
  ports: { ports: [] },
  env: { env: {} },
  cloud: { cloud: 'COMMUNITY' },
  gpu: { hardware: { gpu: { id: 'gpu-b', count: 1 } } },
  cpu: { hardware: { cpu: { id: 'cpu3m', vcpuCount: 2, memory: 4 } } },
  mounts: { mounts: {} },
}

function altered(member: string, isMeant: Meant): Fault {
  const other = others[member] ?? {}
  const shown = { ...other, ...other.hardware }[member as keyof StoredPod]
  return {
    id: `other-${member}`,
    says: `is accepted, and the pod has another ${member}`,
    clause: member,
    observed: `${member} ${show(shown)}`,
    change: parts({
      buildPod: (original) => (body, caller, service) => {
        const pod = original(body, caller, service)
        return isMeant(body) ? { ...pod, ...other } : pod
      },
    }),
  }
}

/** Whether bodies of a branch have a member whatever the case is. */
function isPlain(member: string, { kind, mount = 'none' }: PodShape): boolean {
  return ['name', 'image', kind].includes(member) || (member === 'mounts' && mount !== 'none')
}

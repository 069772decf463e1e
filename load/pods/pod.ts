import { createDirect, type DirectOptions } from '../../harness/client/direct.ts'
import { retryAfter429 } from '../../harness/client/retry.ts'
import type { ScenarioClock } from '../../harness/clock/types.ts'
import { isSuccess, jsonOf } from '../../harness/exchange/exchange.ts'
import { idIn, membersOf, resourcesIn } from '../../harness/exchange/read.ts'
import { cpuFrom, creationBody } from '../../harness/planes/pods/fixtures/pod-body.ts'
import { pods } from '../../harness/planes/pods/plane.ts'
import type { ResourceLedger } from '../../harness/record/resources.ts'
import type { PodSection, Target } from '../../target/types.ts'
import type { LoadRequests } from '../k6/script-plan.ts'
import type { LoadAction } from '../plan/types.ts'

interface LoadPodOptions extends Pick<DirectOptions, 'transport' | 'token' | 'userAgent'> {
  readonly target: Target
  readonly section: PodSection
  readonly name: string
  readonly clock: Pick<ScenarioClock, 'sleep'>
  readonly resources: ResourceLedger
}

/** The pods of a load, which k6 creates: one, or two if a creation is not limited. They are noted before, and removed whatever became of the plan. */
export function createLoadPod(options: LoadPodOptions) {
  const { target, section, name, clock, resources } = options
  const send = createDirect({ ...options, plane: pods })
  const note = (state: 'requested' | 'removed') => resources({ kind: 'pod', name, id: null, state, atMs: Date.now() })
  const patience = {
    longestMs: target.tolerances.rateWaitMs,
    sleep: async (ms: number) => (await clock.sleep(ms)) > 0,
  }
  const patiently = (operation: string, ids = {}) => retryAfter429(() => send(operation, { ids }), patience)

  async function cpu(): Promise<Record<string, unknown>> {
    if (section.cpu !== 'catalog') return { ...section.cpu }
    const response = await patiently('listCpuFlavors')
    const { cpu, memory } = cpuFrom(section, { status: response.status, json: jsonOf(response.body) })
    return { ...cpu, memory }
  }

  return {
    /** How a script counts the pods of this load in a list. */
    listed: { listAt: section.listAt, finalStatuses: ['TERMINATED'], name },
    /** The requests of a plan with this action; `{id}` stands for the id of the pod. */
    async requests(action: LoadAction): Promise<LoadRequests> {
      const { createPod, getPod, updatePod, deletePod, triggerPodAction } = section.paths
      const body = JSON.stringify(await creationBody({ target, nextName: () => name, cpu }, {}, {}))
      note('requested')
      const removal = { method: 'DELETE', path: deletePod, body: null }
      return {
        createPod: { method: 'POST', path: createPod, body },
        getPod: { method: 'GET', path: getPod, body: null },
        updatePod: { method: 'PATCH', path: updatePod, body: JSON.stringify({ name }) },
        act:
          action === 'delete' ? removal : { method: 'POST', path: triggerPodAction, body: JSON.stringify({ action }) },
        deletePod: removal,
      }
    },
    /** Removes the pod, if the list still has it. Resolves with a remark if it may be left; then the ledger has it, too. */
    async remove(): Promise<readonly string[]> {
      const remark = [`the pod ${name} may be left; plumbline sweep removes it`]
      const list = await patiently('listPods')
      const entries = isSuccess(list.status) ? resourcesIn(jsonOf(list.body), section.listAt) : null
      if (entries === null) return remark
      const left = entries.flatMap((entry) => {
        const { name: given, status } = membersOf(entry) ?? {}
        return given === name && status !== 'TERMINATED' ? [idIn(entry) ?? ''] : []
      })
      const statuses = await Promise.all(left.map(async (id) => (await patiently('deletePod', { id })).status))
      if (!statuses.every((status) => isSuccess(status) || status === 404)) return remark
      note('removed')
      return []
    },
  }
}

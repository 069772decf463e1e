import { creationBody, planeOf } from '../../harness/planes/pods/fixtures/pod-body.ts'
import { redactorOf } from '../../harness/record/describe.ts'
import { showsStatus, untilSuccess } from '../../results/shell-requests.ts'
import type { WalkCall } from '../../suites/walk/walk.ts'
import type { Target } from '../../target/types.ts'
import { createPlaneShell } from './plane-shell.ts'

export type PodCall = Omit<WalkCall, 'said'>

/**
 * Shell lines that make calls on pods, and show these pods afterwards. The id of a pod is in the variable of its name;
 * `more`: members of each creation body.
 */
export async function podLines(target: Target, calls: readonly PodCall[], more = {}): Promise<string[]> {
  const { cpu } = planeOf(target)
  const redactor = redactorOf(target)
  const { curl, request, create, wait, exports } = createPlaneShell(target, 'pods')
  const maker = {
    target,
    nextName: () => 'plumbline-fuzz',
    cpu: async () => (cpu === 'catalog' ? { id: 'FLAVOR_ID', vcpuCount: 2 } : { ...cpu }),
  }
  const get = (pod: string) => curl(request('getPod', { variable: pod }), '-s')

  async function lineOf({ operation, pod = '', shape = {}, bytes, seconds = 0, isStranger }: PodCall): Promise<string> {
    if (operation === 'wait') return wait(seconds * 1_000)
    if (operation === 'createPod') {
      const body = JSON.stringify(await creationBody(maker, shape, more))
      return create(pod, request('createPod', { body: redactor.text(body) }))
    }
    const body = bytes === undefined ? null : redactor.bytes(bytes)
    const sent = request(operation, { variable: pod, key: isStranger ? 'stranger' : 'full', body })
    return `${curl(sent, operation === 'listPods' ? '-s' : '-si')}; echo`
  }

  function waitAfter({ pod = '', rest = '', status = 200 }: PodCall): string[] {
    if (!['RUNNING', 'EXITED'].includes(rest) || status >= 300) return []
    return [untilSuccess(showsStatus(get(pod), rest), 120, wait(1_000))]
  }

  const pods = calls.flatMap(({ operation, pod }) => (operation === 'createPod' && pod !== undefined ? [pod] : []))
  const removals = pods.map((pod) => curl(request('deletePod', { variable: pod }), '-s'))
  const sending = await Promise.all(calls.map(async (call) => [await lineOf(call), ...waitAfter(call)]))
  const showing = pods.map((pod) => `${get(pod)}; echo`)
  return [
    ...exports(),
    ...sending.flat(),
    ...showing,
    ...(removals.length > 0 ? [`# afterwards: ${removals.join('; ')}`] : []),
  ]
}

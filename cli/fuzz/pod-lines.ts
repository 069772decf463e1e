import { mountsOf, planeOf } from '../../harness/planes/pods/fixtures/pod-body.ts'
import type { PodShape } from '../../harness/planes/pods/fixtures/types.ts'
import { redactorOf } from '../../harness/record/describe.ts'
import { showsStatus, untilSuccess } from '../../results/shell-requests.ts'
import type { WalkCall } from '../../suites/walk/walk.ts'
import { walkEnv } from '../../suites/walk/walker.ts'
import type { Target } from '../../target/types.ts'
import { createPlaneShell } from './plane-shell.ts'

/** Shell lines about pods of a target, whose ids are in variables such as `POD`. */
export function createPodShell(target: Target) {
  const plane = planeOf(target)
  const redactor = redactorOf(target)
  const { curl, request, create, wait, exports } = createPlaneShell(target, 'pods')
  const getting = (pod: string) => curl(request('getPod', { variable: pod }), '-s')

  return {
    exports,
    wait,
    get: (pod: string) => `${getting(pod)}; echo`,
    list: () => `${curl(request('listPods'), '-s')}; echo`,
    waitFor: (status: string, pod: string) => untilSuccess(showsStatus(getting(pod), status), 120, wait(1_000)),
    create({ kind, mount = 'none', more = {} }: PodShape, pod: string): string {
      const hardware =
        kind === 'cpu' || plane.gpu === null
          ? { cpu: plane.cpu === 'catalog' ? { id: 'FLAVOR_ID', vcpuCount: 2 } : plane.cpu }
          : { gpu: plane.gpu }
      const mounts = mount === 'none' ? {} : { mounts: mountsOf(plane, mount) }
      const body = { name: 'plumbline-fuzz', image: plane.image, ...hardware, ...mounts, ...plane.extra, ...more }
      return create(pod, request('createPod', { body: redactor.text(JSON.stringify(body)) }))
    },
    /** Sends a request about a pod, and prints the response. */
    send(operation: string, pod: string, sent: Uint8Array | string | null = null, isStranger = false): string {
      const key = isStranger ? 'stranger' : 'full'
      const body = sent instanceof Uint8Array ? redactor.bytes(sent) : sent
      return `${curl(request(operation, { variable: pod, key, body }), '-si')}; echo`
    },
    remove: (pod: string) => curl(request('deletePod', { variable: pod }), '-s'),
  }
}

/** Shell lines that take the steps of a walk on pods, and show its pods and the list afterwards. */
export function podLines(target: Target, calls: readonly WalkCall[]): string[] {
  const shell = createPodShell(target)
  const letters = calls.flatMap(({ operation, pod }) => (operation === 'createPod' && pod !== undefined ? [pod] : []))

  function linesOf({ operation, pod = '', shape = {}, bytes, seconds = 0, ...call }: WalkCall): string[] {
    if (operation === 'wait') return [shell.wait(seconds * 1_000)]
    if (operation === 'listPods') return [shell.list()]
    const isAwaited = call.rest === 'RUNNING' || call.rest === 'EXITED'
    const wait = isAwaited && (call.status ?? 200) < 300 ? [shell.waitFor(call.rest ?? '', pod)] : []
    if (operation !== 'createPod') return [shell.send(operation, pod, bytes, call.isStranger), ...wait]
    const env = { ...(target.pods?.extra.env as object), ...walkEnv }
    return [shell.create({ ...shape, more: { env } }, pod), ...wait]
  }

  const lines = [
    ...calls.flatMap(linesOf),
    ...letters.map(shell.get),
    shell.list(),
    `# afterwards: ${letters.map(shell.remove).join('; ')}`,
  ]
  return [...shell.exports(), ...lines]
}

import { mountsOf, planeOf } from '../../harness/planes/pods/fixtures/pod-body.ts'
import type { PodShape } from '../../harness/planes/pods/fixtures/types.ts'
import { redactorOf } from '../../harness/record/describe.ts'
import { printfFormat, secretVariable, word } from '../../results/shell.ts'
import { type WalkCall, walkEnv } from '../../suites/walk/walker.ts'
import type { PodPlane, Target } from '../../target/types.ts'

const typeHeader = `-H 'Content-Type: application/json'`

type PodOperation = keyof PodPlane['paths']

/** Shell lines about pods of a target, whose ids are in variables such as `POD`. */
export function createShell(target: Target) {
  const plane = planeOf(target)
  const key = (name: 'full' | 'stranger') => secretVariable(`key.${name}`, target.variables)
  const header = (name: 'full' | 'stranger') => `-H "Authorization: Bearer $${key(name)}"`
  const address = (operation: PodOperation, pod: string) =>
    `"$BASE${plane.paths[operation].replace('{id}', `$${pod}`)}"`

  /** The beginning of a curl command. */
  function call(method: string, operation: PodOperation, pod = '', keyName: 'full' | 'stranger' = 'full'): string {
    return `-X ${method} ${address(operation, pod)} ${header(keyName)} ${typeHeader}`
  }

  /** A wait of so many seconds, on the clock of the target. */
  function pause(seconds: number): string {
    if (target.clock === 'real') return `sleep ${seconds}`
    return `curl -s -o /dev/null -X POST ${word(target.clock.url)} ${typeHeader} -d '{"advanceMs":${seconds * 1000}}'`
  }

  const get = (pod: string) => `curl -s ${address('getPod', pod)} ${header('full')}`

  function waitFor(status: string, pod: string): string {
    return `for i in $(seq 120); do ${get(pod)} | grep -q '"status"[[:space:]]*:[[:space:]]*"${status}"' && break; ${pause(1)}; done`
  }

  return {
    call,
    pause,
    get,
    waitFor,
    /** Sets the variables that the other lines use. */
    exports(...keys: readonly ('full' | 'stranger')[]): string {
      const secrets = keys.map((name) => `${key(name)}="\${${key(name)}:?set it to keys.${name} of the target file}"`)
      return `export BASE=${word(plane.url)} ${secrets.join(' ')}`
    },
    /** Creates a pod. */
    create({ kind, mount = 'none', more = {} }: PodShape, pod: string): string {
      const hardware =
        kind === 'cpu' || plane.gpu === null
          ? { cpu: plane.cpu === 'catalog' ? { id: 'FLAVOR_ID', vcpuCount: 2 } : plane.cpu }
          : { gpu: plane.gpu }
      const mounts = mount === 'none' ? {} : { mounts: mountsOf(plane, mount) }
      const body = { name: 'plumbline-fuzz', image: plane.image, ...hardware, ...mounts, ...plane.extra, ...more }
      return `${pod}=$(curl -s ${call('POST', 'createPod')} -d ${word(JSON.stringify(body))} | grep -o '"id"[^,]*' | head -1 | cut -d '"' -f 4)`
    },
    sends: (bytes: Uint8Array, curl: string) => `printf ${printfFormat(bytes)} | curl -si ${curl} --data-binary @-`,
    remove: (pod: string) => `curl -s ${call('DELETE', 'deletePod', pod)}`,
  }
}

const methods: Readonly<Partial<Record<WalkCall['operation'], string>>> = {
  triggerPodAction: 'POST',
  updatePod: 'PATCH',
  deletePod: 'DELETE',
}

/** Shell lines that take the steps of a walk, and show its pods and the list afterwards. */
export function walkLines(target: Target, calls: readonly WalkCall[]): string[] {
  const shell = createShell(target)
  const redactor = redactorOf(target)
  const list = `curl -s ${shell.call('GET', 'listPods')}; echo`
  const letters = calls.flatMap(({ operation, pod }) => (operation === 'createPod' && pod !== undefined ? [pod] : []))
  const hasStranger = calls.some(({ isStranger }) => isStranger === true)

  function linesOf({ operation, pod = '', shape = {}, bytes, seconds = 0, ...call }: WalkCall): string[] {
    if (operation === 'wait') return [shell.pause(seconds)]
    if (operation === 'listPods') return [list]
    const isAwaited = call.rest === 'RUNNING' || call.rest === 'EXITED'
    const wait = isAwaited && (call.status ?? 200) < 300 ? [shell.waitFor(call.rest ?? '', pod)] : []
    if (operation === 'createPod') {
      const env = { ...(target.pods?.extra.env as object), ...walkEnv }
      return [shell.create({ ...shape, more: { env } }, pod), ...wait]
    }
    const curl = shell.call(methods[operation] ?? 'GET', operation, pod, call.isStranger ? 'stranger' : 'full')
    return [bytes === undefined ? `curl -si ${curl}; echo` : shell.sends(redactor.bytes(bytes), curl), ...wait]
  }

  return [
    shell.exports('full', ...(hasStranger ? (['stranger'] as const) : [])),
    ...calls.flatMap(linesOf),
    ...letters.map((letter) => `${shell.get(letter)}; echo`),
    list,
    `# afterwards: ${letters.map((letter) => shell.remove(letter)).join('; ')}`,
  ].map(redactor.text)
}

import { mountsOf, planeOf } from '../../harness/planes/pods/fixtures/pod-body.ts'
import type { PodShape } from '../../harness/planes/pods/fixtures/types.ts'
import { redactorOf } from '../../harness/record/describe.ts'
import { curlFunction, filesOf, printfFormat, required, secretVariable, word } from '../../results/shell.ts'
import type { WalkCall } from '../../suites/walk/walk.ts'
import { walkEnv } from '../../suites/walk/walker.ts'
import type { PodSection, Target } from '../../target/types.ts'

export const typeHeader = `-H 'Content-Type: application/json'`

type PodOperation = keyof PodSection['paths']

type ShellKey = 'full' | 'stranger'

/** The parts of shell lines that are the same for all planes of a target. */
export function createShellParts(target: Target) {
  const key = (name: ShellKey) => secretVariable(`key.${name}`, target.variables)
  return {
    header: (name: ShellKey) => `-H "Authorization: Bearer $${key(name)}"`,
    /** A wait of so many seconds, on the clock of the target. */
    pause(seconds: number): string {
      if (target.clock === 'real') return `sleep ${seconds}`
      return `curl -s -o /dev/null -X POST ${word(target.clock.url)} ${typeHeader} -d '{"advanceMs":${seconds * 1000}}'`
    },
    /** Sets the variables that the other lines use. */
    exports(base: string, ...keys: readonly ShellKey[]): string {
      const secrets = keys.map((name) => `${key(name)}="${required(key(name), `keys.${name}`)}"`)
      const line = `export BASE=${word(base)} ${secrets.join(' ')}`
      return [line, ...curlFunction(filesOf(target.network), Object.keys(target.network.headers))].join('; ')
    },
    sends: (bytes: Uint8Array, curl: string) => `printf ${printfFormat(bytes)} | curl -si ${curl} --data-binary @-`,
  }
}

/** Shell lines about pods of a target, whose ids are in variables such as `POD`. */
export function createShell(target: Target) {
  const plane = planeOf(target)
  const { exports, header, pause, sends } = createShellParts(target)
  const address = (operation: PodOperation, pod: string) =>
    `"$BASE${plane.paths[operation].replace('{id}', `$${pod}`)}"`

  /** The beginning of a curl command. */
  function call(method: string, operation: PodOperation, pod = '', keyName: ShellKey = 'full'): string {
    return `-X ${method} ${address(operation, pod)} ${header(keyName)} ${typeHeader}`
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
    exports: (...keys: readonly ShellKey[]) => exports(plane.url, ...keys),
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
    sends,
    remove: (pod: string) => `curl -s ${call('DELETE', 'deletePod', pod)}`,
  }
}

const methods: Readonly<Partial<Record<WalkCall['operation'], string>>> = {
  triggerPodAction: 'POST',
  updatePod: 'PATCH',
  deletePod: 'DELETE',
}

/** Shell lines that take the steps of a walk on pods, and show its pods and the list afterwards. */
export function podLines(target: Target, calls: readonly WalkCall[]): string[] {
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
    const curl = shell.call(
      methods[operation] ?? 'GET',
      operation as PodOperation,
      pod,
      call.isStranger ? 'stranger' : 'full',
    )
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

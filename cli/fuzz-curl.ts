import { quote } from 'shell-quote'
import { mountsOf, planeOf } from '../harness/fixtures/pod-body.ts'
import { noSuchPod } from '../harness/planes/pods/client.ts'
import { program } from '../results/rerun.ts'
import { printfFormat, word } from '../results/shell.ts'
import type { FuzzFinding } from '../suites/fuzz/findings.ts'
import type { MountKind, Target } from '../target/types.ts'

const keyHeader = `-H "Authorization: Bearer $KEY_FULL"`
const typeHeader = `-H 'Content-Type: application/json'`

/** Shell lines that make a pod for the stage of a finding, send it the bodies, and show it afterwards. */
export function curlOf(
  target: Target,
  { stage, cases, isPodless, isSeenLater }: Pick<FuzzFinding, 'stage' | 'cases' | 'isPodless' | 'isSeenLater'>,
): string[] {
  const plane = planeOf(target)
  const [operation = '', second = '', third = 'none'] = stage.split(' ')
  const isPatch = operation === 'updatePod'
  const hardware =
    second === 'cpu' || plane.gpu === null
      ? { cpu: plane.cpu === 'catalog' ? { id: 'FLAVOR_ID', vcpuCount: 2 } : plane.cpu }
      : { gpu: plane.gpu }
  const mounts = isPatch ? { mounts: mountsOf(plane, third as MountKind) } : {}
  const creation = { name: 'plumbline-fuzz', image: plane.image, ...hardware, ...mounts, ...plane.extra }
  const call = (method: string, path: string) => `-X ${method} "$BASE${path}" ${keyHeader} ${typeHeader}`
  const pod = path(plane.paths[isPatch ? 'updatePod' : 'triggerPodAction'])
  const pause =
    target.clock === 'real'
      ? 'sleep 1'
      : `curl -s -o /dev/null -X POST ${word(target.clock.url)} ${typeHeader} -d '{"advanceMs":1000}'`
  const get = `curl -s "$BASE${path(plane.paths.getPod)}" ${keyHeader}`
  const waitFor = (status: string) =>
    `for i in $(seq 120); do ${get} | grep -q '"status"[[:space:]]*:[[:space:]]*"${status}"' && break; ${pause}; done`
  const isStopped = isPatch || second === 'EXITED'
  const made = [
    `POD=$(curl -s ${call('POST', plane.paths.createPod)} -d ${word(JSON.stringify(creation))} | grep -o '"id"[^,]*' | head -1 | cut -d '"' -f 4)`,
    waitFor('RUNNING'),
    ...(isStopped
      ? [`curl -s ${call('POST', path(plane.paths.triggerPodAction))} -d '{"action":"stop"}'; echo`, waitFor('EXITED')]
      : []),
  ]
  const bodies = cases.map(
    ({ bytes }) => `printf ${printfFormat(bytes)} | curl -si ${call(isPatch ? 'PATCH' : 'POST', pod)} --data-binary @-`,
  )
  return [
    `export BASE=${word(plane.url)} KEY_FULL="\${KEY_FULL:?set it to keys.full of the target file}"`,
    ...(isPodless ? [`POD=${noSuchPod}`] : made),
    ...bodies,
    ...(isSeenLater ? [`${pause}; ${pause}; ${get}; echo`] : []),
    ...(isPodless ? [] : [`# afterwards: curl -s ${call('DELETE', path(plane.paths.deletePod))}`]),
  ]
}

/** The command that sends the bodies of a finding again, to the given target file or the reference. */
export function againCommand(
  target: string | undefined,
  { seed, path }: { readonly seed: number; readonly path: string },
): string {
  const flag = target === undefined ? ' --reference' : ` --target ${quote([target])}`
  return `${program} fuzz${flag} --seed ${seed} --path ${path}`
}

function path(template: string): string {
  return template.replace('{id}', '$POD')
}

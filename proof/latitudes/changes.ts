import { Refusal } from '../../reference/index.ts'
import type { ReferenceOptions } from '../../reference/options.ts'
import { composeOptions } from '../../reference/options.ts'
import type { Latitude } from '../types.ts'
import { plane, verdict } from './tools.ts'

/** Which fields PATCH changes beside mounts: the description shows none. */
export const changes = [
  {
    id: 'change-refuses-name',
    says: 'PATCH refuses a name; the target file names the variables as the field that it changes.',
    change: refusing((name) => name === 'name'),
    file: plane({ change: 'env' }),
  },
  {
    id: 'change-takes-arguments',
    says: 'PATCH refuses a name and variables; the target file names the arguments as the field that it changes.',
    change: refusing((name) => name === 'name' || name === 'env'),
    file: plane({ change: 'args' }),
  },
  {
    id: 'change-asks-for-rest',
    says: 'PATCH is answered 409 unless the pod is EXITED.',
    change: (options) =>
      composeOptions(options, {
        parts: {
          patchPod: (original) => (pod, body, service) => {
            if (pod.status !== 'EXITED') throw new Refusal(409, `a pod that is ${pod.status} cannot be changed`)
            original(pod, body, service)
          },
        },
      }),
  },
  {
    id: 'change-of-mounts-only',
    says: 'PATCH changes mounts and nothing else, as the target file says.',
    change: refusing((name) => name !== 'mounts'),
    file: (target) => ({ ...plane({ change: null })(target), absent: { 'pods.change': 'names are given once' } }),
    verdicts: verdict('not-applicable', ['pods.patch.atomic', 'pods.patch.empty-object', 'pods.patch.omitted']),
  },
] as const satisfies readonly Latitude[]

/** PATCHes with a field that `is` picks are refused. */
function refusing(is: (name: string) => boolean): (options: ReferenceOptions) => ReferenceOptions {
  return (options) =>
    composeOptions(options, {
      parts: {
        patchPod: (original) => (pod, body, service) => {
          if (Object.keys(body).some(is)) throw new Refusal(422, 'this field cannot be changed')
          original(pod, body, service)
        },
      },
    })
}

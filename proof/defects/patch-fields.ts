import { canonical } from '../../harness/exchange/read.ts'
import { patchedFields } from '../../suites/pods/patch-fields.suite.ts'
import type { Defect } from '../types.ts'
import { leavesOut, patching } from './patch-tools.ts'
import { defect, exchanges, is, shows } from './tools.ts'

/** PATCHes of a pod's own fields. */
export const patchFields: readonly Defect[] = [
  ...Object.entries(patchedFields).flatMap(([field, { wrong }]) =>
    Object.entries(wrong).map(([what, value]) =>
      defect(`patch-of-${field}-takes-${what.replaceAll(' ', '-')}`, 'pods.patch.fields', field, {
        says: `A PATCH with a wrong ${field} (${what}) is accepted, and leaves the ${field} as it is.`,
        observed: 'status 200',
        wrap: exchanges(is.patch, ({ [field]: given, ...others }) =>
          canonical(given) === canonical(value) ? others : null,
        ),
      }),
    ),
  ),
  defect('refused-patch-of-disk-carried-out', 'pods.patch.fields', 'unchanged', {
    says: 'A PATCH with a disk that is a text is refused and carried out.',
    observed: 'disk 26',
    change: patching((pod, body, next) => {
      if (typeof body.disk === 'string') pod.disk = Number(body.disk) + 1
      next()
    }),
  }),
  defect('refused-patch-of-disk-renames', 'pods.patch.fields', 'unchanged', {
    says: 'A PATCH that is refused for a disk of 0 GB beside a name still changes the name.',
    observed: 'name "plumbline-refused"',
    change: patching((pod, body, next) => {
      if (body.disk === 0 && 'name' in body) pod.name = 'plumbline-refused'
      next()
    }),
  }),
  defect('patch-of-mounts-clears-variables', 'pods.patch.others', 'others', {
    says: 'A PATCH of the mounts of a pod clears its variables.',
    observed: 'env {}',
    variation: { mount: 'network' },
    change: patching((pod, { mounts }, next) => {
      next()
      if (canonical(mounts ?? {}) !== '{}') pod.env = {}
    }),
  }),
  defect('cleared-variables-shown-null', 'pods.shape.env', 'env', {
    says: 'A pod whose last variable a PATCH removes shows env null.',
    observed: 'env: null',
    tour: ['pods.patch.fields'],
    change: shows((shown, { env, name }) =>
      name.endsWith('-patched') && Object.keys(env).length === 0 ? { ...shown, env: null } : shown,
    ),
  }),
  defect('lock-ignored-beside-other-fields', 'pods.patch.others', 'together', {
    says: 'A PATCH that locks a pod and changes another field does not lock it.',
    observed: 'no lock',
    variation: { part: 'locked' },
    change: leavesOut('locked', (body) => body.locked === true && Object.keys(body).length > 1),
  }),
  defect('patch-of-three-loses-args', 'pods.patch.others', 'together', {
    says: 'A PATCH of more than two fields leaves the arguments as they were.',
    observed: 'not all of them',
    variation: { part: 'locked' },
    change: leavesOut('args', (body) => Object.keys(body).length > 2),
  }),
  defect('field-beside-lock-ignored', 'pods.patch.others', 'together', {
    says: 'A PATCH that locks a pod leaves its arguments as they were.',
    observed: 'the old args',
    variation: { part: 'locked' },
    change: leavesOut('args', (body) => body.locked === true),
  }),
]

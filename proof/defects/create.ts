import { Refusal } from '../../reference/index.ts'
import type { Defect } from '../types.ts'
import { all, defect, is, making, onJson, options, part, refusing, shows } from './tools.ts'

/** Creations that are valid, and what of those that are not; most defects of creations are derived from tables. */
export const create: readonly Defect[] = [
  defect('env-refused', 'pods.create.env-kept', 'accepted', {
    says: 'A creation with variables is refused.',
    observed: 'status 422',
    change: refusing('buildPod', (body) => body.env !== undefined && [422, 'variables are not taken']),
  }),
  defect('unusual-variables-500', 'pods.create.env-kept', 'accepted', {
    says: 'A creation with a variable whose value has quotes is answered 500.',
    observed: 'status 500',
    change: refusing('buildPod', (body) => body.env?.PLUMBLINE_QUOTES !== undefined && [500, 'unexpected token']),
  }),
  defect('empty-variables-dropped', 'pods.create.env-kept', 'kept', {
    says: 'Variables whose value is empty are dropped.',
    observed: 'nothing at $.env.PLUMBLINE_EMPTY',
    change: making(({ env }) => ({
      env: Object.fromEntries(Object.entries(env).filter(([, value]) => value !== '')),
    })),
  }),
  defect('smallest-disk-raised', 'pods.create.cpu', 'disk', {
    says: 'A disk of 1 GB counts as none, so the pod gets the default.',
    observed: 'disk 20',
    change: making(({ disk }) => (disk === 1 ? { disk: 20 } : {})),
  }),
  defect('cloud-ignored', 'pods.create.community', 'cloud', {
    says: 'Every pod is created in the cloud SECURE, whichever its creation chose.',
    observed: 'cloud "SECURE"',
    change: making(() => ({ cloud: 'SECURE' })),
  }),
  defect('creation-answers-nothing-and-list-no-names', 'pods.create.read-back', 'id', {
    says: 'A creation answers an empty object, and the list shows no names.',
    observed: 'neither',
    wrap: onJson(
      (request, { status }) => status < 300 && (is.create(request) || is.list(request)),
      (json, request) =>
        is.create(request) ? {} : { pods: (json.pods as { readonly id: string }[]).map(({ id }) => ({ id })) },
    ),
  }),
  defect('new-pods-unread', 'pods.create.read-back', 'read', {
    says: 'For a minute a read of a new pod is answered 404.',
    observed: 'gone',
    change: part('findPod', (next, _id, _caller, service) => {
      const pod = next()
      if (service.clock.now() < pod.createdAtMs + 60_000) throw new Refusal(404, 'resource not found')
      return pod
    }),
  }),
  defect('new-pods-unlisted', 'pods.create.read-back', 'listed', {
    says: 'A new pod is in the list after a minute.',
    observed: 'a list without it',
    change: options({ life: { listLagMs: 60_000 } }),
  }),
  defect('ids-given-twice', 'pods.create.unique-ids', 'unique', {
    says: 'Of creations at the same time two get the same id.',
    observed: 'an id twice',
    change: options({ ids: (n) => `pod-${n % 12 === 0 ? n - 1 : n}` }),
  }),
  defect('empty-network-refused-and-created', 'pods.create.atomic', 'no-pod', {
    says: 'A creation with an empty list of network mounts is refused, and the pod is created.',
    observed: 'a pod of: empty list of pods.create.empty-network',
    change: part('createPod', (next, body) => {
      try {
        return next()
      } catch (error) {
        const { mounts, ...rest } = body as { readonly mounts?: { readonly network?: unknown } }
        if (JSON.stringify(mounts) === '{"network":[]}') next(rest)
        throw error
      }
    }),
  }),
  defect('null-image-fails-and-creates', 'pods.create.failed-leaves-none', 'no-pod', {
    says: 'A creation whose image is null is answered 500, and a pod of it exists two seconds later.',
    observed: 'a pod of: null image',
    change: part('createPod', (next, body, _, { clock }) => {
      const given = body as Readonly<Record<string, unknown>>
      if (given.image !== null) return next()
      clock.schedule(clock.now() + 2_000, () => void next({ ...given, image: 'none' }))
      throw new Refusal(500, 'cannot read properties of null')
    }),
  }),
  defect('volume-elsewhere-not-mounted', 'pods.create.volume-elsewhere', 'placed', {
    says: 'A pod with a volume of another data center is created in the one that was asked for.',
    observed: 'a pod without its volume',
    change: part('enforces', (next, name) => name !== 'volumeElsewhere' && next()),
  }),
  defect('volume-elsewhere-not-mounted-late', 'pods.create.volume-elsewhere', 'placed', {
    says: 'The same, and pods take a while to start, and show no data center before.',
    observed: 'a pod without its volume',
    change: all(
      options({ life: { provisioningMs: 30_000 } }),
      part('enforces', (next, name) => name !== 'volumeElsewhere' && next()),
      shows((shown, { status }) => (status === 'PROVISIONING' ? { ...shown, dataCenterId: null } : shown)),
    ),
  }),
]

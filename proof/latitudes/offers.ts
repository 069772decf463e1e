import { defaultAccounts, Refusal } from '../../reference/index.ts'
import { composeOptions } from '../../reference/options.ts'
import type { Latitude } from '../types.ts'
import { nullMountsOf, optioned, plane, reads, verdict } from './tools.ts'

/** What a platform offers at all, and that it may run out of it. */
export const offers = [
  {
    id: 'no-capacity-for-start',
    says: 'There is no capacity left to start a pod that was stopped.',
    change: (options) =>
      composeOptions(options, {
        parts: {
          transition: (original) => (pod, action, service) => {
            if (action === 'start') throw new Refusal(400, 'no capacity')
            original(pod, action, service)
          },
        },
      }),
    verdicts: verdict('inconclusive', [
      'auth.pods.malformed',
      'pods.action.error.start',
      'pods.action.error.start-leaves',
      'pods.action.exited.start',
    ]),
  },
  optioned(
    'cpu-only',
    'There are no GPUs, as the target file says.',
    { gpuTypes: [] },
    {
      file: (target) => ({
        ...plane({ gpu: null, persistent: null })(target),
        absent: { 'pods.gpu': 'none here', 'pods.persistent': 'none here' },
      }),
      verdicts: verdict('not-applicable', [
        'pods.patch.network-on-persistent',
        'pods.patch.partial-persistent',
        'pods.patch.persistent-on-network',
        'pods.patch.persistent-path',
        'pods.patch.persistent-size',
        'pods.patch.size-minimum',
      ]),
      readings: reads('pods.patch.null', null, nullMountsOf('persistent', 'cpu network')),
    },
  ),
  optioned(
    'gpu-only',
    'There are no CPU pods, as the target file says.',
    { flavors: [] },
    {
      file: (target) => ({
        ...plane({ cpu: null })(target),
        absent: { 'pods.cpu': 'none here', catalog: 'none here' },
      }),
      verdicts: verdict('not-applicable', ['pods.patch.cpu-persistent']),
      readings: reads('pods.patch.null', null, nullMountsOf('cpu network')),
    },
  ),
  optioned(
    'no-volumes',
    'There are no network volumes, as the target file says.',
    { volumes: [] },
    {
      file: (target) => ({
        ...plane({ volume: null, volumeSecond: null })(target),
        absent: { volume: 'none here' },
      }),
      verdicts: verdict('not-applicable', [
        'pods.patch.both',
        'pods.patch.empty-network',
        'pods.patch.empty-object',
        'pods.patch.extra',
        'pods.patch.fuzz',
        'pods.patch.mount-on-bare',
        'pods.patch.network-on-persistent',
        'pods.patch.network-path',
        'pods.patch.omitted',
        'pods.patch.other-volume',
        'pods.patch.partial-network',
        'pods.patch.persistent-on-network',
        'pods.patch.two-networks',
        'pods.patch.wrong-type',
      ]),
      readings: reads('pods.patch.null', null, nullMountsOf('network', 'cpu network')),
    },
  ),
  {
    id: 'restricted-key-sees-nothing',
    says: 'A key without any permission is answered 404 for everything.',
    change: (options) =>
      composeOptions(options, {
        accounts: (options.accounts ?? defaultAccounts).map((account) => ({
          ...account,
          keys: account.keys.map((key) => (key.permissions === '*' ? key : { ...key, permissions: [] })),
        })),
        parts: {
          authorize: (original) => (caller, operation, service) => {
            if (caller.permissions.length === 0) throw new Refusal(404, 'resource not found')
            original(caller, operation, service)
          },
        },
      }),
    file: (target) => ({
      ...target,
      grants: { may: [], mayNot: [...target.grants.may, ...target.grants.mayNot] },
    }),
    verdicts: { 'auth.granted': 'unclaimed' },
  },
] as const satisfies readonly Latitude[]

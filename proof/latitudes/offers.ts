import type { OperationId } from '../../generated/operations.ts'
import { defaultAccounts, Refusal, type StoredPod } from '../../reference/index.ts'
import { composeOptions } from '../../reference/options.ts'
import { withoutNulls } from '../../suites/fuzz/oracle/creation.ts'
import { all, type Change, exchanges, is, onResponse, part, refusing, requestOf } from '../defects/tools.ts'
import type { Latitude } from '../types.ts'
import { management } from './endpoints.ts'
import { latitude, needing, nullMountsOf, plane, reads, verdict } from './tools.ts'

/** The offers of a platform, and how it runs out of them. */
export const offers = [
  {
    id: 'capacity-for-start-later',
    says: 'A pod cannot be started for lack of capacity until twenty seconds after this was tried first.',
    about: ['capacity', 'words of errors'],
    change: (options) => {
      const firstMs = new WeakMap<StoredPod, number>()
      const { clock } = options
      return part('transition', (next, pod, action) => {
        if (action === 'start') {
          const sinceMs = firstMs.get(pod) ?? clock.now()
          firstMs.set(pod, sinceMs)
          if (clock.now() < sinceMs + 20_000) throw new Refusal(400, 'no capacity')
        }
        next()
      })(options)
    },
  },
  latitude('capacity-comes-and-goes', 'For five seconds of each minute there is no capacity for a new pod.', {
    change: refusing('buildPod', (_, __, { clock }) => clock.now() % 60_000 < 5_000 && [400, 'no capacity']),
    about: ['capacity', 'pace', 'words of errors'],
  }),
  latitude('cpu-only', 'There are no GPUs, as the target file says.', {
    options: { gpuTypes: [] },
    onlyLacks: true,
    file: (target) => ({
      ...plane({ gpu: null, persistent: null })(management({ gpus: [], gpuUnavailable: null })(target)),
      absent: {
        ...target.absent,
        'pods.gpu': 'none here',
        'pods.persistent': 'none here',
        'gpu.unavailable': 'none here',
        'gpu.several': 'none here',
      },
    }),
    verdicts: verdict('not-applicable', needing('pods.gpu', 'pods.persistent', 'gpu.unavailable')),
    readings: reads('pods.patch.null', null, nullMountsOf('persistent', 'cpu network')),
  }),
  latitude('gpu-only', 'There are no CPU pods, as the target file says.', {
    options: { flavors: [] },
    onlyLacks: true,
    file: (target) => ({
      ...plane({ cpu: null })(target),
      absent: { ...target.absent, 'pods.cpu': 'none here', catalog: 'none here' },
    }),
    verdicts: verdict('not-applicable', needing('pods.cpu', 'catalog')),
    readings: reads('pods.patch.null', null, nullMountsOf('cpu network')),
  }),
  latitude('no-volumes', 'There are no network volumes, as the target file says.', {
    options: { volumes: [] },
    onlyLacks: true,
    file: (target) => ({
      ...plane({ volume: null, volumeSecond: null, volumeElsewhere: null })(target),
      absent: { ...target.absent, volume: 'none here' },
    }),
    verdicts: verdict('not-applicable', needing('volume', 'volume.second', 'volume.elsewhere')),
    readings: reads('pods.patch.null', null, nullMountsOf('network', 'cpu network')),
  }),
  latitude('persistent-marked-at-schema', 'The API document marks the schema of persistent mounts, not the property.', {
    planes: ['pods'],
    about: 'the document',
    wrap: onResponse(
      ({ url }) => url.endsWith('/openapi.json'),
      ({ text }) => {
        const schema = '{"anyOf":[{"allOf":[{"$ref":"#/components/schemas/PersistentMount"}]},{"type":"null"}]}'
        return { text: text.replace(/(?<="persistent":)\{"deprecated":true[^}]*\}/, schema) }
      },
    ),
  }),
  latitude('null-left-out', 'null for a member of a creation or a submission counts as left out.', {
    planes: ['pods', 'queue', 'management'],
    about: ['bodies of creations', 'endpoint management', 'submissions'],
    wrap: exchanges(
      (request) => isSubmission(request) || is.create(request) || requestOf('createEndpoint')(request),
      ({ input, ...options }) => ({ ...(input === undefined ? {} : { input }), ...(withoutNulls(options) as object) }),
    ),
  }),
  latitude('restricted-key-sees-nothing', 'A key without any permission is answered 404 for everything.', {
    about: 'permissions',
    change: all(
      restrictedMay(() => []),
      refusing('authorize', ({ permissions }) => permissions.length === 0 && [404, 'resource not found']),
    ),
    file: (target) => ({ ...target, grants: { may: [], mayNot: [...target.grants.may, ...target.grants.mayNot] } }),
    verdicts: { 'auth.granted': 'unclaimed' },
  }),
  latitude('restricted-key-reads-jobs', 'A key that may not submit jobs reads them, as the target file says.', {
    planes: ['queue'],
    about: 'permissions',
    change: restrictedMay((own) => [...own, 'getJobStatus', 'getEndpointHealth', 'streamJob', 'listRequests']),
    file: ({ grants, ...target }) => ({
      ...target,
      grants: {
        ...grants,
        mayNot: [
          ...grants.mayNot.filter((name) => name !== 'queue'),
          ...['runJob', 'runJobSync', 'cancelJob', 'retryJob', 'purgeQueue', 'callOpenaiRoute'],
        ],
      },
    }),
  }),
] as const satisfies readonly Latitude[]

/** The restricted key has other permissions, made of its own. */
function restrictedMay(change: (own: readonly OperationId[]) => readonly OperationId[]): Change {
  return (base) =>
    composeOptions(base, {
      accounts: (base.accounts ?? defaultAccounts).map((account) => ({
        ...account,
        keys: account.keys.map(({ permissions, ...key }) => ({
          ...key,
          permissions: permissions === '*' ? permissions : change(permissions),
        })),
      })),
    })
}

function isSubmission(request: Request): boolean {
  return requestOf('runJob')(request) || requestOf('runJobSync')(request)
}

import { rules } from '../../generated/rules.ts'
import { needsOf } from '../../harness/claims/claims.ts'
import { allPlanes } from '../../harness/planes/index.ts'
import { judgedByLoad } from '../../harness/rule/load-rules.ts'
import type { Endpoint, ReferenceOptions } from '../../reference/index.ts'
import type { EndpointRole, Grants, KeyName, QueuePlane, Target } from '../../target/types.ts'
import { onResponse, part, requestOf, restated } from '../defects/tools.ts'
import type { Latitude, LatitudePlane } from '../types.ts'
import { deployment } from './deploy.ts'
import { management } from './endpoints.ts'
import { lb } from './lb.ts'
import { type More, nullMountsOf, plane, reads, verdict } from './tools.ts'

type Without = (target: Target) => Target

const planes = allPlanes().map(({ name }) => name)

/** Each plane, and the planes that one row needs together. */
const planesTogether = [
  ...planes.map((name) => [name]),
  ...new Map(
    rules
      .map((row) => planes.filter((name) => needsOf(row).includes(name)))
      .filter((some) => some.length > 1)
      .map((some) => [some.join(), some] as const),
  ).values(),
]

/**
 * Capabilities that a platform may lack, as its target file says: a latitude for each need of a row that has no other, and
 * targets with one plane, or the few that some rule needs together.
 */
export const absent: readonly Latitude[] = [
  lack('worker', 'queue', queue({ worker: false })),
  lack('lb.worker', 'lb', lb({ worker: false })),
  lack('lb.second', 'lb', lbWithout('second')),
  lack('lb.unknown', 'lb', lbWithout('unknown')),
  lack('management.delete', null, same),
  lack('management.worker', 'management', management({ worker: false })),
  {
    ...lack('management.read', 'management', same),
    about: 'endpoint management',
    onlyLacks: false,
    wrap: restated(requestOf('getEndpoint'), 200, 405),
    readings: reads('endpoints.odd-requests', 'refused', ['get-body']),
  },
  {
    ...lack('management.read', 'management', management({ endpointAt: 'data', listAt: 'data' })),
    id: 'no-management-read-below-data',
    says: 'There is no management.read, as the target file says, and responses of endpoint management are members of an object.',
    about: 'endpoint management',
    onlyLacks: false,
    change: (options) => options,
    wrap: (fetch) =>
      restated(
        requestOf('getEndpoint'),
        200,
        405,
      )(
        onResponse(
          ({ url }, { ok }) => ok && new URL(url).pathname.startsWith('/v1/'),
          ({ text }) => ({ text: text === '' ? '' : `{"data":${text}}` }),
        )(fetch),
      ),
    readings: reads('endpoints.odd-requests', 'refused', ['get-body']),
  },
  {
    ...lack('management.read', 'management', same),
    id: 'no-management-read-list-wavers',
    says: 'There is no management.read, as the target file says, and the second list with a new endpoint lacks it.',
    about: ['endpoint management', 'the list'],
    onlyLacks: false,
    change: wavers,
    wrap: restated(requestOf('getEndpoint'), 200, 405),
    readings: reads('endpoints.odd-requests', 'refused', ['get-body']),
  },
  lack('management.update', 'management', same),
  lack('gpu.unavailable', 'management', management({ gpuUnavailable: null })),
  lack('gpu.several', 'management', (target) =>
    management({ gpus: target.management?.gpus.slice(0, 1) ?? [] })(target),
  ),
  lack('account.standard', 'management', management({ standardQuota: false })),
  lack('account.exclusive', 'management', management({ exclusive: false })),
  lack('deploy.worker', 'deploy', deployment({ worker: false })),
  lack('deploy.preinstalled', 'deploy', deployment({ preinstalled: null })),
  lack('deploy.lookups', 'deploy', same),
  lack('receiver', null, (target) => ({ ...target, receiver: null }), {
    readings: reads('queue.retention.run', null, ['cancelled']),
  }),
  lack('stream', 'queue', queue({ stream: null })),
  lack('requests', 'queue', queue({ requests: false }), {
    readings: reads('queue.ttl.gone-everywhere', null, ['/requests']),
  }),
  lack('openai', 'queue', queue({ openai: false })),
  lack('endpoint.dedicated', 'queue', endpoint('dedicated')),
  lack('endpoint.second', 'queue', endpoint('second')),
  lack('endpoint.two-workers', 'queue', endpoint('twoWorkers')),
  lack('endpoint.execution-timeout', 'queue', endpoint('executionTimeout')),
  lack('endpoint.no-execution-timeout', 'queue', endpoint('noExecutionTimeout')),
  lack('endpoint.scale-to-zero', 'queue', endpoint('scaleToZero')),
  lack('key.second', null, key('second')),
  lack('key.restricted', null, key('restricted')),
  lack('restricted.may', null, grants({ may: [] })),
  lack('restricted.may-not', null, grants({ mayNot: ['management', 'lb', 'queue'] })),
  lack('lb.restricted', 'lb', permitting('lb')),
  lack('management.restricted', 'management', permitting('management')),
  lack('queue.restricted', 'queue', permitting('queue')),
  lack('key.expired', null, key('expired')),
  lack('key.stranger', null, key('stranger')),
  lack('probe', 'pods', (target) => ({ ...target, probe: null })),
  lack('volume.second', 'pods', plane({ volumeSecond: null })),
  lack('volume.elsewhere', 'pods', plane({ volumeElsewhere: null })),
  lack('template', 'pods', plane({ fromTemplate: null })),
  lack('registry', 'pods', plane({ registry: null })),
  lack('global-networking', 'pods', plane({ networked: null })),
  lack('pod.locked', 'pods', plane({ locked: null })),
  lack('pods.persistent', 'pods', plane({ persistent: null }), {
    readings: reads('pods.patch.null', null, nullMountsOf('persistent')),
  }),
  lack('pods.memory', 'pods', plane({ cpu: { id: 'cpu3c', vcpuCount: 2 } }), {
    about: 'memory of CPU pods',
    readings: reads('pods.create.cpu-required', null, ['no memory']),
  }),
  lack('pod.error', 'pods', plane({ recipes: {} })),
  lack('pods.change', 'pods', plane({ change: null })),
  ...planesTogether.map(alone),
]

/** A target with some planes and no other. */
function alone(some: readonly string[]): Latitude {
  const others = planes.filter((name) => !some.includes(name))
  return {
    id: `only-${some.join('-')}`,
    says: `There is no plane but ${some.join(' and ')}, as the target file says.`,
    ...without(others, (target) => ({ ...target, ...Object.fromEntries(others.map((name) => [name, null])) })),
  }
}

/** The second list that has an endpoint lacks it. */
function wavers(options: ReferenceOptions): ReferenceOptions {
  const times = new Map<Endpoint, number>()
  const change = part('listEndpoints', (next) =>
    next().filter((one) => {
      if (one.name === one.id) return true
      times.set(one, (times.get(one) ?? 0) + 1)
      return times.get(one) !== 2
    }),
  )
  return change(options)
}

/** A target without one thing. */
function lack(need: string, on: LatitudePlane | null, change: Without, { verdicts, ...more }: More = {}): Latitude {
  const lacks = without([need], change)
  return {
    id: `no-${need.replace(/^endpoint\./, '').replace('.', '-')}`,
    says: `There is no ${need}, as the target file says.`,
    ...lacks,
    ...(on === null ? {} : { planes: [on] }),
    verdicts: { ...lacks.verdicts, ...verdicts },
    ...more,
  }
}

/**
 * Without some things the rules whose row names one of them are not applicable, and each other one comes to the same verdict
 * by the same clauses and exchanges, or its row lists the need under `parts`.
 */
function without(needs: readonly string[], change: Without) {
  const named = rules.filter((row) => needsOf(row).some((need) => needs.includes(need)) && !judgedByLoad.has(row.id))
  const absent = Object.fromEntries(needs.map((need) => [need, 'none here']))
  return {
    change: (options) => options,
    file: (target) => ({ ...change(target), absent: { ...target.absent, ...absent } }),
    onlyLacks: true,
    verdicts: verdict(
      'not-applicable',
      named.map(({ id }) => id),
    ),
  } satisfies Partial<Latitude>
}

function same(target: Target): Target {
  return target
}

function lbWithout(role: 'second' | 'unknown'): Without {
  return (target) => (target.lb === null ? target : lb({ endpoints: { ...target.lb.endpoints, [role]: null } })(target))
}

function queue(change: Partial<QueuePlane>): Without {
  return (target) => ({ ...target, queue: target.queue === null ? null : { ...target.queue, ...change } })
}

function endpoint(role: Exclude<EndpointRole, 'normal'>): Without {
  return (target) =>
    target.queue === null ? target : queue({ endpoints: { ...target.queue.endpoints, [role]: null } })(target)
}

function grants(change: Partial<Grants>): Without {
  return (target) => ({ ...target, grants: { ...target.grants, ...change } })
}

/** The restricted key lacks no permission for a plane. */
function permitting(plane: string): Without {
  return (target) => grants({ mayNot: target.grants.mayNot.filter((name) => name !== plane) })(target)
}

function key(name: KeyName): Without {
  return ({ keys, ...target }) => {
    const { [name]: _, ...others } = keys
    return { ...target, keys: others }
  }
}

import { parseDuration } from '../../../target/duration.ts'
import type { FileSection } from '../../../target/section.ts'
import type { EndpointRole, QueuePlane } from '../../../target/types.ts'
import { addressOf, filled, type Surroundings, unlike } from '../../../target/values.ts'
import { defaultHealth, defaultQueue, defaultQueuePaths, defaultStream } from './defaults.ts'

/** The queue plane of a target file with every default filled in. Faults are noted, not thrown. */
export function queueOf(section: FileSection<'queue'>, around: Surroundings): QueuePlane {
  const { url, allowPlainHttp = false, paths, endpoints: given, stream, health, ...rest } = section
  const { executionTimeout, ...ids } = given
  const endpoints = { ...unclaimed, ...ids, executionTimeout: executionTimeout?.id ?? null }
  for (const role of ['normal', 'second', 'scaleToZero', 'executionTimeout'] as const) {
    if (endpoints[role] === null || endpoints[role] !== endpoints.dedicated) continue
    around.fault(
      ['queue', 'endpoints', 'dedicated'],
      `queue.endpoints.dedicated is flooded and purged, so it cannot be ${role} as well; give another endpoint or leave it out`,
    )
  }
  for (const role of ['normal', 'noExecutionTimeout'] as const) {
    if (endpoints.executionTimeout === null || endpoints.executionTimeout !== endpoints[role]) continue
    around.fault(
      ['queue', 'endpoints', 'executionTimeout'],
      `queue.endpoints.executionTimeout ends jobs early, so it cannot be ${role} as well; give another endpoint or leave it out`,
    )
  }
  if (endpoints.second !== null && endpoints.second === endpoints.normal) {
    around.fault(
      ['queue', 'endpoints', 'second'],
      'queue.endpoints.second is the same endpoint as normal; give another one',
    )
  }
  return {
    ...defaultQueue,
    ...rest,
    url: addressOf(url, allowPlainHttp, ['queue', 'url'], around),
    paths: { ...defaultQueuePaths, ...paths },
    endpoints,
    executionTimeoutMs: executionTimeout === undefined ? null : parseDuration(executionTimeout.after),
    stream: streamOf(stream),
    health: { ...defaultHealth, ...health },
  }
}

const unclaimed: Readonly<Record<Exclude<EndpointRole, 'normal'>, null>> = {
  dedicated: null,
  second: null,
  twoWorkers: null,
  scaleToZero: null,
  executionTimeout: null,
  noExecutionTimeout: null,
}

function streamOf(given: FileSection<'queue'>['stream'] = true): QueuePlane['stream'] {
  if (given === false) return null
  return given === true ? defaultStream : { ...defaultStream, ...given }
}

/** The section of a target file that says the same; defaults are left out. */
export function writeQueue(queue: QueuePlane): Record<string, unknown> {
  const { url, paths, endpoints, executionTimeoutMs, health, stream, ...rest } = queue
  const { executionTimeout, ...ids } = endpoints
  return {
    url,
    ...filled('paths', unlike(paths, defaultQueuePaths)),
    endpoints: {
      ...Object.fromEntries(Object.entries(ids).filter(([, id]) => id !== null)),
      ...(executionTimeout === null
        ? {}
        : { executionTimeout: { id: executionTimeout, after: `${executionTimeoutMs}ms` } }),
    },
    ...unlike(rest, defaultQueue),
    ...(stream === null ? { stream: false } : filled('stream', unlike(stream, defaultStream))),
    ...filled('health', unlike(health, defaultHealth)),
  }
}

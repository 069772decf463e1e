import { defaultHealth, defaultQueuePaths, defaultStream, defaultWorkers } from './defaults.ts'
import { parseDuration } from './duration.ts'
import type { QueueSection, ReceiverSection } from './file.ts'
import type { EndpointRole, QueuePlane, ReceiverAddress } from './types.ts'
import { addressOf, filled, type Surroundings, unlike } from './values.ts'

/** The queue plane of a target file with every default filled in. Faults are noted, not thrown. */
export function queueOf(section: QueueSection, around: Surroundings): QueuePlane {
  const { url, allowPlainHttp = false, paths, worker = false, workers = defaultWorkers } = section
  const { executionTimeout, ...ids } = section.endpoints
  const endpoints = { ...unclaimed, ...ids, executionTimeout: executionTimeout?.id ?? null }
  for (const role of ['normal', 'second', 'scaleToZero', 'executionTimeout'] as const) {
    if (endpoints[role] === null || endpoints[role] !== endpoints.dedicated) continue
    around.fault(
      ['queue', 'endpoints', 'dedicated'],
      `queue.endpoints.dedicated is flooded and purged, so it cannot be ${role} as well; give another endpoint or leave it out`,
    )
  }
  if (endpoints.second !== null && endpoints.second === endpoints.normal) {
    around.fault(
      ['queue', 'endpoints', 'second'],
      'queue.endpoints.second is the same endpoint as normal; give another one',
    )
  }
  return {
    url: addressOf(url, allowPlainHttp, ['queue', 'url'], around),
    paths: { ...defaultQueuePaths, ...paths },
    endpoints,
    executionTimeoutMs: executionTimeout === undefined ? null : parseDuration(executionTimeout.after),
    worker,
    workers,
    perWorkerRate: section.perWorkerRate ?? null,
    input: section.input ?? null,
    stream: streamOf(section.stream),
    health: { ...defaultHealth, ...section.health },
    requests: section.requests ?? false,
    openai: section.openai ?? false,
  }
}

/** The listener of the suite and the address at which the target reaches it. A loopback address needs no `url`. */
export function receiverOf({ listen, url }: ReceiverSection, around: Surroundings): ReceiverAddress {
  if (url !== undefined) {
    // No key is sent to the receiver, so plain http reveals nothing.
    return { listen, url: addressOf(url, true, ['receiver', 'url'], around) }
  }
  if (!/^(localhost|127(\.\d+){3}|\[::1\]):/.test(listen)) {
    around.fault(
      ['receiver', 'listen'],
      'receiver.url is missing; add the address at which the target reaches this listener',
    )
  }
  return { listen, url: '' }
}

const unclaimed: Readonly<Record<Exclude<EndpointRole, 'normal'>, null>> = {
  dedicated: null,
  second: null,
  twoWorkers: null,
  scaleToZero: null,
  executionTimeout: null,
  noExecutionTimeout: null,
}

function streamOf(given: QueueSection['stream'] = true): QueuePlane['stream'] {
  if (given === false) return null
  return given === true ? defaultStream : { ...defaultStream, ...given }
}

/** The section of a target file that says the same; defaults are left out. */
export function writeQueue(queue: QueuePlane): Record<string, unknown> {
  const { url, paths, endpoints, executionTimeoutMs, health, stream, worker, workers, perWorkerRate, input } = queue
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
    ...(worker ? { worker } : {}),
    ...(workers === defaultWorkers ? {} : { workers }),
    ...(perWorkerRate === null ? {} : { perWorkerRate }),
    ...(input === null ? {} : { input }),
    ...(stream === null ? { stream: false } : filled('stream', unlike(stream, defaultStream))),
    ...filled('health', unlike(health, defaultHealth)),
    ...(queue.requests ? { requests: true } : {}),
    ...(queue.openai ? { openai: true } : {}),
  }
}

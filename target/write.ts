import { isDeepStrictEqual } from 'node:util'
import { stringify } from 'yaml'
import {
  defaultBudget,
  defaultHealth,
  defaultPaths,
  defaultPlane,
  defaultQueuePaths,
  defaultStream,
  defaultTolerances,
  defaultWorkers,
} from './defaults.ts'
import type { PodPlane, QueuePlane, ReceiverAddress, Recipe, Target, Tolerances } from './types.ts'

/**
 * A target as the text of a target file that says the same; what is a default is left out. Keys are written as they
 * are, so only example keys of the reference make a file that can be read again.
 */
export function writeTarget(target: Target): string {
  const { name, pods, queue, receiver, keys, grants, absent, clock, tolerances, budget, known } = target
  const { restricted, altered: _, ...plain } = keys
  return stringify({
    plumbline: 1,
    name,
    ...(pods === null ? {} : { pods: planeOf(pods) }),
    ...(queue === null ? {} : { queue: queueOf(queue) }),
    ...(receiver === null ? {} : { receiver: receiverOf(receiver) }),
    keys: {
      ...plain,
      ...(restricted === undefined ? {} : { restricted: { key: restricted, ...grants } }),
    },
    ...filled('absent', absent),
    ...(clock === 'real' ? {} : { clock }),
    ...filled('tolerances', tolerancesOf(tolerances)),
    ...filled('budget', unlike(budget, defaultBudget)),
    ...(known.length === 0
      ? {}
      : { known: known.map(({ clause, ...rest }) => ({ ...rest, ...(clause === null ? {} : { clause }) })) }),
  })
}

function planeOf({ url, paths, recipes, ...rest }: PodPlane): Record<string, unknown> {
  const given = Object.entries(unlike(rest, defaultPlane)).filter(([, value]) => value !== null)
  return {
    url,
    ...filled('paths', unlike(paths, defaultPaths)),
    ...Object.fromEntries(given),
    ...filled('statuses', Object.fromEntries(Object.entries(recipes).map(([name, one]) => [name, recipeOf(one)]))),
  }
}

function recipeOf({ hook, ...rest }: Recipe): Record<string, unknown> {
  if (hook === null) return rest
  return { ...rest, hook: 'url' in hook ? hook.url : hook.command }
}

function queueOf(queue: QueuePlane): Record<string, unknown> {
  const { url, paths, endpoints, executionTimeoutMs, health, stream, worker, workers, perWorkerRate } = queue
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
    ...(stream === null ? { stream: false } : filled('stream', unlike(stream, defaultStream))),
    ...filled('health', unlike(health, defaultHealth)),
    ...(queue.requests ? { requests: true } : {}),
    ...(queue.openai ? { openai: true } : {}),
  }
}

function receiverOf({ listen, url }: ReceiverAddress): Record<string, string> {
  return { listen, ...(url === '' ? {} : { url }) }
}

function tolerancesOf(tolerances: Tolerances): Record<string, string> {
  const changed = Object.entries(unlike(tolerances, defaultTolerances)) as [string, number][]
  return Object.fromEntries(
    changed.map(([name, value]) => [name.replace(/(Ms|S)$/, ''), name.endsWith('Ms') ? `${value}ms` : `${value}s`]),
  )
}

function unlike<T extends object>(value: T, standard: object): Partial<T> {
  const other = standard as Record<string, unknown>
  return Object.fromEntries(
    Object.entries(value).filter(([name, own]) => !isDeepStrictEqual(own, other[name])),
  ) as Partial<T>
}

function filled(name: string, value: object): Record<string, unknown> {
  return Object.keys(value).length === 0 ? {} : { [name]: value }
}

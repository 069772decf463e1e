import type { PodOperation } from '../exchange.ts'
import type { Grants, PodPlane, Tolerances } from './types.ts'

/** Where the operations of the pod API lie; the description shows the action call alone, the others are inferred. */
export const defaultPaths: Readonly<Record<PodOperation, string>> = {
  listPods: '/v2/pods',
  createPod: '/v2/pods',
  getPod: '/v2/pods/{id}',
  updatePod: '/v2/pods/{id}',
  deletePod: '/v2/pods/{id}',
  triggerPodAction: '/v2/pods/{id}/action',
  listCpuFlavors: '/v2/catalog/cpus',
}

/** What a pod plane is taken to be where its file says nothing. */
export const defaultPlane: Omit<PodPlane, 'url' | 'paths'> = {
  listAt: 'pods',
  flavorsAt: 'cpus',
  // Small, public, and a process that runs until it is stopped: a pod of it stays RUNNING.
  image: 'nginx:1.29-alpine',
  extra: {},
  // GPU types have no listing in the description, so none can be guessed.
  gpu: null,
  // CPU flavors are listed: the first one that is listed needs no line in the file.
  cpu: 'catalog',
  persistent: null,
  volume: null,
  volumeSecond: null,
  volumePath: '/workspace',
  recipes: {},
  capacity: capacityTexts(),
}

/** The one table of tolerances: each with the reason for its number. */
export const defaultTolerances: Tolerances = {
  // 120s: a first pull of a small image on a cold host takes a minute and more.
  settleMs: 120_000,
  // 500ms: quick enough to meet STARTING on most platforms, slow enough for a quota of 60 requests a minute with pacing.
  pollMs: 500,
  // 10s: caches in front of a list are commonly that old.
  visibleMs: 10_000,
  // 1s: t is whole seconds, and rounding goes either way.
  windowSlackS: 1,
  // 30s: proxies give up on an answer after 30 to 60 s.
  answerMs: 30_000,
  // 5s: three lost SYN packets.
  connectMs: 5_000,
  // 3m: two windows of a minute and slack; an hour's window is not waited out.
  rateWaitMs: 180_000,
}

/** 16 scenarios beside each other keep about as many pods alive, which a small quota still holds. */
export const defaultBudget = { scenarios: 16 } as const

/** A restricted key without grants is one that may read and do nothing else. */
export const defaultGrants: Grants = {
  may: ['listPods', 'getPod'],
  mayNot: ['createPod', 'updatePod', 'deletePod', 'start', 'stop', 'restart', 'terminate'],
}

function capacityTexts(): string {
  const want = '(no|not enough|insufficient|out of|lack of|exhausted|unavailable)'
  const thing = '(capacity|instances?|machines?|hosts?|resources?|stock|gpus?|cpus?)'
  return `${want}\\b.{0,40}\\b${thing}|${thing}\\b.{0,40}\\b(unavailable|not available|exhausted|insufficient)`
}

import { expect, test } from 'vitest'
import { needsOf } from '../harness/claims/claims.ts'
import { rowOf } from '../harness/run/rows.ts'
import { TransportFailure } from '../harness/transport/types.ts'
import { composeOptions } from '../reference/options.ts'
import { type Json, onJson, type Wrap } from './defects/tools.ts'
import { everything } from './jobs.ts'
import { judgeOn } from './judge.ts'
import type { Variant } from './types.ts'

// Freedoms of a platform that concern every pod, so that they share no group with other latitudes.

// A wrapper changes how pods are shown, and not their containers.
const ofPods = everything().rules.filter(
  ({ id }) => /^(pods|version|auth\.pods)\./.test(id) && !needsOf(rowOf(id)).includes('probe'),
)

/** Rewrites each pod, in the list too. */
function onPods(change: (pod: Json) => Json): Wrap {
  const showsPods = (request: Request, { ok, status }: Response) =>
    ok && status !== 204 && request.method !== 'HEAD' && /\/v2\/pods\b/.test(request.url)
  return onJson(showsPods, (body) =>
    Array.isArray(body.pods) ? { ...body, pods: (body.pods as readonly Json[]).map(change) } : change(body),
  )
}

const adds: Variant = {
  id: 'platform-adds',
  says: 'A pod that runs has a port and a variable of the platform, and a global address.',
  wrap: onPods((pod) =>
    pod.status === 'RUNNING'
      ? {
          ...pod,
          ports: [...(pod.ports as readonly string[]), '22/tcp'],
          env: { ...(pod.env as Json), PLATFORM_HOST: 'host-37' },
          globalNetworking: { enabled: true, ip: '10.0.0.7', internalDns: `${pod.id}.pod.internal` },
        }
      : pod,
  ),
}

const hidesCount: Variant = {
  id: 'one-gpu-without-count',
  says: 'A pod with one GPU does not show the count.',
  wrap: onPods(({ gpu, ...pod }) => ({
    ...pod,
    ...(gpu === undefined ? {} : { gpu: withoutCount(gpu as Json) }),
  })),
}

function withoutCount({ count, ...gpu }: Json): Json {
  return count === 1 ? gpu : { ...gpu, count }
}

/** A variant whose new resources are not found by their id for a while. */
function foundLate(kind: 'pods' | 'endpoints', methods: RegExp): NonNullable<Variant['change']> {
  return (options) => {
    const untilMs = new Map<string, number>()
    return composeOptions(options, {
      wrapFetch: (fetch) => async (request) => {
        const [id = '', parent] = request.url.split('/').reverse()
        if (parent === kind && methods.test(request.method) && options.clock.now() < (untilMs.get(id) ?? 0)) {
          return fetch(new Request(`${request.url}-unknown`, { headers: request.headers }))
        }
        const response = await fetch(request)
        if (request.method !== 'POST' || id !== kind || !response.ok) return response
        untilMs.set(((await response.clone().json()) as { readonly id: string }).id, options.clock.now() + 1_000)
        return response
      },
    })
  }
}

const podsLate: Variant = {
  id: 'new-pods-read-late',
  says: 'For a second after its creation a pod is not found by its id.',
  change: foundLate('pods', /GET/),
}

const endpointsLate: Variant = {
  id: 'new-endpoints-found-late',
  says: 'For a second after its creation an endpoint is not found by its id.',
  change: foundLate('endpoints', /GET|PATCH|DELETE/),
}

const closesFirst: Variant = {
  id: 'connections-closed',
  says: 'The connection of a refused request is closed the first time that it is sent.',
  wrap: (fetch) => {
    const closed = new Set<string>()
    return async (request) => {
      const key = `${request.method} ${request.url} ${await request.clone().text()}`
      const response = await fetch(request)
      if (request.method === 'GET' || response.status < 400 || closed.has(key)) return response
      closed.add(key)
      throw new TransportFailure('reset', 'the connection was closed')
    }
  },
}

test('a refused request is sent again if its connection is closed', async () => {
  const rules = everything().rules.filter(({ id }) => /^pods\.(patch|action-body)\.(?!fuzz)/.test(id))
  const judgements = await judgeOn({ variants: [closesFirst], rules })
  const failed = judgements.filter(({ verdict }) => verdict === 'failed' || verdict === 'broken')
  expect(failed.map(({ rule, reason, findings }) => ({ rule, reason, findings }))).toEqual([])
  const passed = judgements.filter(({ verdict }) => verdict === 'passed' || verdict === 'observed')
  expect(passed.length).toBeGreaterThan(20)
})

test('other freedoms fail no rule about pods or endpoints', async () => {
  const ofEndpoints = everything().rules.filter(({ id }) => /^(endpoints|auth\.management)\./.test(id))
  const judgements = await judgeOn({
    variants: [adds, hidesCount, podsLate, endpointsLate],
    rules: [...ofPods, ...ofEndpoints],
  })
  const undecided = judgements.filter(({ verdict }) => !['passed', 'observed'].includes(verdict))
  expect(undecided.map(({ rule, verdict, reason, findings }) => ({ rule, verdict, reason, findings }))).toEqual([])
})

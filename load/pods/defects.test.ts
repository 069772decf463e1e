import { expect, test } from 'vitest'
import { createControlledClock as createScenarioClocks } from '../../harness/clock/controlled.ts'
import { jsonIn } from '../../harness/exchange/exchange.ts'
import { membersOf } from '../../harness/exchange/read.ts'
import { podLoadRules } from '../../harness/rule/load-rules.ts'
import { allRules, type Invariant } from '../../harness/rule/registry.ts'
import { foldInvariants } from '../../harness/run/invariants.ts'
import { rowOf } from '../../harness/run/rows.ts'
import { referenceTarget } from '../../proof/instance.ts'
import {
  composeOptions,
  createControlledClock,
  createReference,
  defaultKeys,
  limiterOf,
  type ReferenceOptions,
} from '../../reference/index.ts'
import { limiterKindNames } from '../../reference/limits/windows.ts'
import { analyse } from '../analyse/analyse.ts'
import type { LoadDefect } from '../defect.ts'
import { type LoadAction, loadActions, type PodPlan } from '../plan/types.ts'
import type { PodSend } from '../scripts/lib/steps.ts'
import { unfinishedIn } from '../scripts/lib/unfinished.ts'
import { drivePods } from '../testing/pods.ts'
import { podLoadDefects } from './defects.ts'
import { givePoints, loadAloneRules, podPointRules } from './exchanges.ts'
import { podSteps } from './steps.ts'
import '../../suites/all.ts'

const invariants = allRules().filter(
  (rule): rule is Invariant => rule.kind === 'invariant' && podPointRules.includes(rule.id),
)
const listed = { listAt: 'pods', finalStatuses: ['TERMINATED'], name: 'load' }
const START_MS = 1_767_323_045_123
const plan: PodPlan = {
  plane: 'pods',
  shape: 'pod-429',
  requests: 40,
  probes: 1,
  earlyShare: 0.25,
  longestWaitMs: 75_000,
  action: null,
}

/** Loads a reference whose shortest window has five requests, and judges its quotas. */
async function found(change = composeOptions, action: LoadAction | null = null, paceMs = 0) {
  const controlled = createControlledClock(START_MS)
  const reference = createReference(change({ clock: controlled.clock, quotas: { minute: 5 } }, {}))
  const clocks = createScenarioClocks({ kind: 'virtual', control: controlled, startMs: START_MS })
  const clock = clocks.actor('load')
  const headers = { authorization: `Bearer ${defaultKeys.full}`, 'content-type': 'application/json' }
  let id = ''
  const requests: Readonly<Record<PodSend, () => readonly [method: string, path: string, body?: unknown]>> = {
    pods: () => ['GET', ''],
    createPod: () => ['POST', '', { name: 'load', image: 'plumbline', gpu: { id: 'gpu-a' } }],
    getPod: () => ['GET', `/${id}`],
    updatePod: () => ['PATCH', `/${id}`, { name: 'load' }],
    act: () => (action === 'delete' ? ['DELETE', `/${id}`] : ['POST', `/${id}/action`, { action }]),
    deletePod: () => ['DELETE', `/${id}`],
  }
  const send = async (operation: PodSend) => {
    if (paceMs > 0) await clock.sleep(paceMs)
    const [method, path, body] = requests[operation]()
    const url = `http://reference.test/v2/pods${path}`
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const response = await reference.fetch(new Request(url, { method, headers, ...sent }))
    const line = (name: string) => response.headers.get(name)
    const contentType = line('content-type')
    const rate = { rateLimit: line('ratelimit'), rateLimitPolicy: line('ratelimit-policy') }
    const text = await response.text()
    const pod = membersOf(jsonIn(text))
    if (operation === 'createPod' && id === '' && pod?.id !== undefined) id = String(pod.id)
    return {
      status: response.status,
      retryAfter: line('retry-after'),
      ...rate,
      contentType,
      body: text,
      ...(operation === 'pods' && response.ok && { unfinished: unfinishedIn(jsonIn(text), listed) }),
      podStatus: operation === 'getPod' && typeof pod?.status === 'string' ? pod.status : null,
    }
  }
  // Time passes between two requests, as it does for k6.
  let sentRequests = 0
  const now = () => controlled.clock.now() + ++sentRequests / 100
  const points = await drivePods({ plan: { ...plan, action }, send, clock, now })
  clock.done()
  clocks.close()
  reference.close()
  const fold = foldInvariants(invariants, referenceTarget('https://reference.test', 'real'))
  givePoints(points, fold.unrecorded)
  const byInvariants = fold.judge(rowOf).map(({ rule, verdict, findings }) => {
    return { rule, verdict, sentence: findings[0]?.observed ?? '', exchange: findings[0]?.exchange }
  })
  return [...analyse(points, { ...plan, action }), ...byInvariants]
}

test('the quotas of the reference are as documented', async () => {
  const verdicts = (await found(undefined, 'stop')).map(({ rule, verdict }) => [rule, verdict])
  const all = [...podLoadRules, ...podPointRules]
  expect(Object.fromEntries(verdicts)).toEqual(Object.fromEntries(all.map((rule) => [rule, 'passed'])))
})

const counting = limiterKindNames.flatMap((kind) => loadActions.map((action) => [kind, action] as const))

test.each(counting)('no rule fails where requests are counted by a %s, and a %s is refused', async (kind, action) => {
  const judged = await found((options) => composeOptions(options, { limiter: limiterOf(kind) }), action)
  expect(judged).toContainEqual(
    expect.objectContaining({ rule: 'limits.pods.rejected-not-executed', verdict: 'passed' }),
  )
  expect(judged.filter(({ verdict }) => verdict === 'failed' || verdict === 'advice')).toEqual([])
})

test.each(['fixed-window', 'sliding-log'] as const)(
  'every rule passes where a %s counts refused requests, too',
  async (kind) => {
    const judged = await found((options) => composeOptions(options, { limiter: limiterOf(kind, true) }), 'stop')
    expect(judged.filter(({ verdict }) => verdict !== 'passed')).toEqual([])
  },
)

test.each(counting)(
  'no rule fails where a %s gives something back between slow requests about the pod, and a %s is sent',
  async (kind, action) => {
    for (const paceMs of [2900, 4100, 6100]) {
      const judged = await found((options) => composeOptions(options, { limiter: limiterOf(kind) }), action, paceMs)
      expect(judged.filter(({ verdict }) => verdict === 'failed' || verdict === 'advice')).toEqual([])
    }
  },
)

test.each(['PATCH', 'DELETE', 'POST'])('no rule fails where a %s is not limited', async (method) => {
  const free = (options: ReferenceOptions) =>
    composeOptions(options, {
      wrapFetch: (fetch) => async (request) => {
        const response = await fetch(request)
        const { status, headers } = response
        return status === 429 && request.method === method ? new Response(null, { status: 204, headers }) : response
      },
    })
  const judged = await found(free, 'stop')
  expect(judged.filter(({ verdict }) => verdict === 'failed')).toEqual([])
  expect(judged).toContainEqual(expect.objectContaining({ rule: 'limits.pods.retry-after', verdict: 'passed' }))
})

const resets = ['full', 'next'] as const
const waits = ['longest', 'full'] as const
const styles = limiterKindNames.flatMap((kind) =>
  resets.flatMap((rateReset) => waits.map((retryAfter) => [kind, rateReset, retryAfter] as const)),
)

test.each(styles)(
  'Retry-After covers t with a %s, t of %s and a %s Retry-After',
  async (kind, rateReset, retryAfter) => {
    for (const quotas of [{ minute: 5 }, { minute: 5, hour: 5 }, { minute: 5, hour: 5, day: 5 }]) {
      const judged = await found((options) =>
        composeOptions(options, { limiter: limiterOf(kind), quotas, style: { rateReset, retryAfter } }),
      )
      const covers = judged.find(({ rule }) => rule === 'limits.pods.retry-after-covers')
      expect(['passed', 'inconclusive']).toContain(covers?.verdict)
    }
  },
)

test.each(podLoadDefects.map((defect) => [defect.says, defect] as const))('%s', async (_, defect) => {
  const judged = (await found((options) => defect.change(options), actionFor(defect))).find(
    ({ rule }) => rule === defect.rule,
  )
  const isAdvice = defect.rule === 'limits.pods.structured'
  expect(judged).toMatchObject({
    verdict: isAdvice ? 'advice' : 'failed',
    sentence: expect.stringMatching(defect.observed),
  })
})

test.each(loadActions)('a %s that is answered 429 and carried out is found', async (action) => {
  const defect = podLoadDefects.find(({ id }) => id === 'pods-429-carried-out')
  const judged = await found((options) => defect?.change(options) ?? options, action)
  expect(judged).toContainEqual(
    expect.objectContaining({ rule: 'limits.pods.rejected-not-executed', verdict: 'failed' }),
  )
})

test.each([
  ['creations are refused', /^a creation was answered 400$/, refusing('POST', /pods$/)],
  ['reads are refused', /^before the stop a read of the pod was answered 400$/, refusing('GET', /pods\/.+/)],
  [
    'actions are refused',
    /^the same stop was answered 400 later, and a read was answered 200/,
    refusing('POST', /action$/),
  ],
] as const)('nothing is concluded where %s', async (_, sentence, change) => {
  expect(await found(change, 'stop')).toContainEqual(
    expect.objectContaining({
      rule: 'limits.pods.rejected-not-executed',
      verdict: 'inconclusive',
      sentence: expect.stringMatching(sentence),
    }),
  )
})

test('a creation that is refused is sent again', async () => {
  let isRefused = false
  const refusesOnce = (options: ReferenceOptions) =>
    composeOptions(options, {
      wrapFetch: (fetch) => async (request) => {
        if (isRefused || request.method !== 'POST') return fetch(request)
        isRefused = true
        return new Response('{}', { status: 429, headers: { 'retry-after': '2' } })
      },
    })
  expect(await found(refusesOnce, 'stop')).toContainEqual(
    expect.objectContaining({ rule: 'limits.pods.rejected-not-executed', verdict: 'passed' }),
  )
})

test('nothing is concluded where each read is refused until the same action is served', async () => {
  const defect = podLoadDefects.find(({ id }) => id === 'pods-retry-after-negative')
  expect(await found(defect?.change, 'stop', 2300)).toContainEqual(
    expect.objectContaining({
      rule: 'limits.pods.rejected-not-executed',
      verdict: 'inconclusive',
      sentence: 'after the stop a read of the pod was answered 429',
    }),
  )
})

test('no pod is created where a longer window may not have room to remove it', () => {
  const rules = new Set(['limits.pods.rejected-not-executed'])
  const seen = (hour: number) => ({
    operation: 'pods',
    sentMs: 0,
    receivedMs: 1,
    status: 200,
    kind: 'answer' as const,
    rateLimit: `"minute";r=5;t=50, "hour";r=${hour};t=3000`,
    rateLimitPolicy: '"minute";q=5;w=60, "hour";q=500;w=3600',
  })
  const actions = [400, 20].map((hour) => podSteps(rules, seen(hour), 'stop').map(({ plan }) => plan.action))
  expect(actions).toEqual([['stop'], [null]])
})

/** Requests that are not refused for a quota are refused with 400. */
function refusing(method: string, path: RegExp) {
  return (options: ReferenceOptions) =>
    composeOptions(options, {
      wrapFetch: (fetch) => async (request) => {
        const response = await fetch(request)
        const isMeant = request.method === method && path.test(request.url) && response.status !== 429
        return isMeant ? new Response('{}', { status: 400 }) : response
      },
    })
}

function actionFor({ id, rule }: LoadDefect): LoadAction | null {
  return rule === 'limits.pods.rejected-not-executed' || id.startsWith('pods-429-of-') ? 'terminate' : null
}

test('every rule of pods that load judges is failed by a defect', () => {
  const others: readonly string[] = loadAloneRules
  expect(new Set(podLoadDefects.map(({ rule }) => rule))).toEqual(
    new Set([...podLoadRules, 'limits.pods.headers-on-success', ...others]),
  )
})

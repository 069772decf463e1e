import { createEmbedded } from '../../reference/embedded.ts'
import { defaultKeys } from '../../reference/index.ts'
import { composeOptions } from '../../reference/options.ts'
import { actionBodies, arbitraryOf, patchBodies, type World } from '../../suites/fuzz/arbitrary.ts'
import { arbitraryCase, draw, enumerate, type FuzzCase } from '../../suites/fuzz/cases.ts'
import type { Situation } from '../../suites/fuzz/oracle.ts'

/** One response of the reference, and its request. */
export interface Observation {
  readonly situation: Situation
  readonly what: FuzzCase
  readonly status: number
}

interface ShownPod {
  readonly id: string
  readonly mounts: unknown
}

const endpoint = 'open'
const unlimited = { requests: Number.MAX_SAFE_INTEGER, concurrent: null }

const world: World = {
  volume: 'vol-1',
  volumeSecond: 'vol-2',
  volumePath: '/workspace',
  persistent: { size: 10, path: '/workspace' },
}

const network = [{ volumeId: 'vol-1', path: '/workspace' }]
const persistent = { size: 10, path: '/workspace' }
const gpu = { gpu: { id: 'gpu-a' } }
const cpu = { cpu: { id: 'cpu3c', vcpuCount: 2 } }

/** The responses of the reference to everything that is enumerated and to some random cases of each operation. */
export async function observe(random: number): Promise<Observation[]> {
  const seen: Observation[] = []
  const { ask, makePod } = createReferenceAtHand()

  /** Sends cases one after the other, each to the pod as the last one has left it. */
  async function pods(
    make: () => Promise<ShownPod>,
    method: 'POST' | 'PATCH',
    situationOf: (pod: ShownPod) => Situation,
    cases: readonly FuzzCase[],
  ) {
    let pod = await make()
    for (const what of cases) {
      const path = `pods/${pod.id}${method === 'POST' ? '/action' : ''}`
      const response = await ask(method, path, what.bytes)
      seen.push({ situation: situationOf(pod), what, status: response.status })
      if (response.ok) pod = method === 'PATCH' ? ((await response.json()) as ShownPod) : await make()
    }
  }

  const actions = (status: 'RUNNING' | 'EXITED', cases: readonly FuzzCase[]) =>
    pods(
      () => makePod(status, gpu),
      'POST',
      () => ({ operation: 'triggerPodAction', status }),
      cases,
    )

  const patches = (kind: 'gpu' | 'cpu', own: object, cases: readonly FuzzCase[]) => {
    const make = () => makePod('EXITED', { ...(kind === 'gpu' ? gpu : cpu), mounts: own })
    const constant = { operation: 'updatePod', kind, otherVolumes: ['vol-2'], isVolumeThere: true } as const
    return pods(make, 'PATCH', ({ mounts }) => ({ ...constant, mounts }), cases)
  }

  async function others(operation: 'createPod' | 'runJob', path: string, cases: readonly FuzzCase[]) {
    for (const what of cases) {
      const { status } = await ask('POST', path, what.bytes)
      seen.push({ situation: { operation }, what, status })
    }
  }

  for (const status of ['RUNNING', 'EXITED'] as const) {
    for (const action of ['start', 'stop', 'restart', 'terminate']) {
      await actions(status, enumerate({ action }, 'PodActionRequest'))
    }
    await actions(status, drawn(arbitraryCase(actionBodies, 'PodActionRequest'), random))
  }
  for (const [kind, mounts] of [
    ['gpu', {}],
    ['gpu', { network }],
    ['gpu', { persistent }],
    ['cpu', { network }],
    ['cpu', {}],
  ] as const) {
    for (const body of [{}, { network }, { persistent }, { network, persistent }]) {
      await patches(kind, mounts, enumerate({ mounts: body }, 'PodUpdate'))
    }
    await patches(kind, mounts, drawn(arbitraryCase(patchBodies(world), 'PodUpdate'), random))
  }
  const creation = { name: 'a', image: 'b', disk: 5, ports: ['80/http'], env: { a: 'b' } }
  for (const more of creations) {
    await others('createPod', 'pods', enumerate({ ...creation, ...more }, 'PodCreate'))
  }
  await others('createPod', 'pods', drawn(arbitraryCase(arbitraryOf('PodCreate'), 'PodCreate'), random))
  for (const body of submissions) await others('runJob', `${endpoint}/run`, enumerate(body, 'JobSubmission'))
  const jobs = arbitraryCase(arbitraryOf('JobSubmission'), 'JobSubmission')
  await others('runJob', `${endpoint}/run`, drawn(jobs, random))
  return seen
}

/** Creations that between them break each rule about requests. */
const creations = [
  {},
  gpu,
  cpu,
  { ...gpu, ...cpu },
  { ...cpu, mounts: { persistent } },
  { ...gpu, mounts: { network } },
  { ...gpu, mounts: { network, persistent } },
]

/** Submissions that between them have every field. */
const submissions = [
  { input: {} },
  {
    input: { prompt: 'a' },
    webhook: 'https://receiver.test/hook',
    policy: { executionTimeout: 5_000, lowPriority: true, ttl: 10_000 },
    s3Config: { accessId: 'a', accessSecret: 'b', bucketName: 'c', endpointUrl: 'https://s3.test' },
  },
  { input: {}, policy: { executionTimeout: 604_800_000, ttl: 604_800_000 } },
]

function drawn(cases: ReturnType<typeof arbitraryCase>, count: number): FuzzCase[] {
  return Array.from({ length: count }, (_, run) => draw(cases, 1, run).value)
}

function createReferenceAtHand() {
  const { fetch, control } = createEmbedded((options) =>
    composeOptions(options, {
      quotas: { minute: 1e9, hour: 1e9, day: 1e9 },
      endpoints: [
        { id: endpoint, workersMin: 0, workersMax: 1, coldStartMs: 1, idleTimeoutMs: 1, rates: { run: unlimited } },
      ],
    }),
  )
  const headers = { authorization: `Bearer ${defaultKeys.full}`, 'content-type': 'application/json' }
  const ask = (method: string, path: string, body: Uint8Array | null) =>
    fetch(new Request(`https://reference.test/v2/${path}`, { method, headers, body: body && Buffer.from(body) }))

  async function makePod(status: 'RUNNING' | 'EXITED', more: object): Promise<ShownPod> {
    const made = await ask('POST', 'pods', Buffer.from(JSON.stringify({ name: 'a', image: 'b', ...more })))
    const { id } = (await made.json()) as ShownPod
    await control.advance(60_000)
    await control.advance(60_000)
    if (status === 'EXITED') await ask('POST', `pods/${id}/action`, Buffer.from('{"action":"stop"}'))
    return (await (await ask('GET', `pods/${id}`, null)).json()) as ShownPod
  }

  return { ask, makePod }
}

import { defaultPlane } from '../../../target/defaults.ts'
import type { KeyName, PodStatus, Target } from '../../../target/types.ts'
import type { Reply } from '../../client/reply.ts'
import { membersOf, type PodView, podOf } from '../../exchange/read.ts'
import type { Maker } from '../../fixtures/pod-body.ts'
import { makePod } from '../../fixtures/pods.ts'
import type { Context, Settled } from '../../rule/context.ts'
import { Inconclusive } from '../../rule/outcome.ts'
import { createOwnResources } from '../own-resources.ts'
import { createClients, type OwnerContext } from '../owner.ts'
import type { PlaneAccess } from '../plane.ts'
import { createPodClient, outlasting, type PodClient } from './client.ts'
import { pods } from './plane.ts'

/** An owner's access to the pod API. */
export interface PodAccess extends PlaneAccess {
  as(key: KeyName): PodClient
  readonly settle: Context['settle']
  makePod(status: PodStatus, shape: Parameters<typeof makePod>[2], cpu: Maker['cpu']): Promise<PodView>
  maker(cpu: Maker['cpu']): Maker
}

/** A request that waited longer for the quota shows that it is scarce, ms. */
const heldUpMs = 2_000

export function createPodAccess(host: OwnerContext): PodAccess {
  const { shared, name, actor, sender, isReleased } = host
  const { channel, target } = shared
  const { note, removables } = createOwnResources(pods, shared.resources)
  const repeat = outlasting((ms) => actor.sleep(ms))
  const as = createClients(
    pods,
    host,
    (key) => ({ repeat, note: (operation, call) => note(operation, call, key) }),
    createPodClient,
  )
  let names = 0
  let hooks = 0

  async function settle(
    id: string,
    done: (status: string, pod: PodView | null) => boolean,
    boundMs = target.tolerances.settleMs,
  ): Promise<Settled> {
    let pause = target.tolerances.pollMs
    let deadline: number | null = null
    for (;;) {
      const reply = await as('full').get(id)
      deadline ??= actor.now() + boundMs
      const pod = reply.status === 200 ? podOf(reply.json, reply.exchange.n) : null
      const status = pod?.status ?? (reply.status === 404 ? 'gone' : `answer ${reply.status}`)
      if (done(status, pod)) return { status, pod, reply, settled: true }
      if (actor.now() >= deadline) return { status, pod, reply, settled: false }
      await actor.sleep(Math.min(pause, Math.max(1, deadline - actor.now())))
      pause = Math.min(pause * 2, target.tolerances.pollMs * 4)
    }
  }

  const maker = (cpu: Maker['cpu']): Maker => ({
    target,
    pods: as('full'),
    settle,
    cpu,
    reserve: (requests) => sender.reserve('getPod', requests),
    async hook(hook, pod, status) {
      if (isReleased()) throw new Inconclusive('the hook was not run, for the run has ended what needs it')
      return actor.real(shared.hook(name, ++hooks, hook, { pod, status }))
    },
    nextName: () => `plumbline-${channel.run}-${slug(name)}-${++names}`,
    sleep: (ms) => actor.sleep(ms),
    now: () => actor.now(),
    podTimes: shared.podTimes,
    async spareLooks(ms) {
      if (ms > 0 && sender.heldUpMs() > heldUpMs) await actor.pause(ms)
    },
    fellBack() {},
    lacksCapacity: (reply) => lacksCapacity(target, reply),
  })

  return { as, removables, settle, maker, makePod: (status, shape, cpu) => makePod(maker(cpu), status, shape) }
}

/** True if a response tells of want of capacity, by the pattern of the target file. */
export function lacksCapacity({ pods }: Target, reply: Reply): boolean {
  const pattern = new RegExp(pods?.capacity ?? defaultPlane.capacity, 'i')
  if (reply.status < 400 || reply.status === 401 || reply.status === 403) return false
  const members = membersOf(reply.json)
  return pattern.test(`${members?.title ?? ''} ${members?.detail ?? ''} ${members?.error ?? ''}`)
}

/** A pod name may hold letters, digits and hyphens only, and few of them. */
function slug(name: string): string {
  return name
    .replace(/[^a-z0-9]+/gi, '-')
    .toLowerCase()
    .slice(0, 40)
}

import { rules } from '../../generated/rules.ts'
import { needsOf } from '../../harness/claims/claims.ts'
import { canonical, membersOf } from '../../harness/exchange/read.ts'
import type { ReferenceClock } from '../../reference/clock/types.ts'
import { composeOptions, type FetchWrapper, type ReferenceOptions } from '../../reference/options.ts'
import type { Target } from '../../target/types.ts'
import { patching } from '../defects/patch-tools.ts'
import { type Change, refusing } from '../defects/tools.ts'
import type { Latitude } from '../types.ts'
import { latitude, plane, verdict } from './tools.ts'

const beforeRunning: ReadonlySet<string> = new Set(['PROVISIONING', 'STARTING'])
const ofLockedPods = rules.flatMap((row) => (needsOf(row).includes('pod.locked') ? row.id : []))

/** Which fields PATCH changes beside mounts: the description shows none. */
export const changes = [
  {
    id: 'change-refuses-name',
    says: 'PATCH refuses a name; the target file names the variables as the field that it changes.',
    about: 'changes of names',
    change: refusesFields((name) => name === 'name'),
    file: plane({ change: 'env' }),
  },
  {
    id: 'change-takes-arguments',
    says: 'PATCH refuses a name and variables; the target file names the arguments as the field that it changes.',
    change: refusesFields((name) => name === 'name' || name === 'env'),
    file: plane({ change: 'args' }),
  },
  latitude('change-asks-for-rest', 'PATCH is answered 409 unless the pod is EXITED.', {
    // A rule that cannot mend its pod has to see the status that follows a start.
    about: ['pace', 'quick pods', 'locked pods'],
    change: refusing(
      'patchPod',
      ({ status }) => status !== 'EXITED' && [409, `a pod that is ${status} cannot be changed`],
    ),
    file: locksNone,
    verdicts: verdict('not-applicable', ofLockedPods),
  }),
  latitude('change-of-name-clears-arguments', 'A PATCH of a name clears the arguments: only mounts must survive it.', {
    about: ['changes', 'changes of names'],
    change: patching((pod, body, next) => {
      next()
      if ('name' in body && !('args' in body)) pod.args = ''
    }),
    verdicts: { 'pods.patch.others': 'advice' },
  }),
  latitude('lock-asks-for-running', 'The PATCH that locks a pod is answered 409 until the pod is RUNNING.', {
    change: refusing(
      'patchPod',
      ({ status }, body) =>
        membersOf(body)?.locked === true &&
        beforeRunning.has(status) && [409, `a pod that is ${status} cannot be locked`],
    ),
  }),
  latitude('change-shows-late', 'For eight seconds after a change, reads show the pod as it was before.', {
    about: 'delays',
    change: showsLate(8_000),
  }),
  latitude('change-of-mounts-only', 'PATCH changes mounts and nothing else, as the target file says.', {
    // With a slow quota or quick pods it is not seen that a pod in ERROR, which cannot be mended, has started before it
    // fails again.
    about: ['pace', 'quick pods', 'locked pods'],
    change: refusesFields((name) => name !== 'mounts'),
    file: (target) => ({
      ...plane({ change: null, locked: null })(target),
      absent: { ...target.absent, 'pods.change': 'names are given once', 'pod.locked': 'no PATCH locks a pod' },
    }),
    verdicts: verdict('not-applicable', [
      'pods.patch.atomic',
      'pods.patch.empty-object',
      'pods.patch.fields',
      'pods.patch.omitted',
      'pods.patch.others',
      ...ofLockedPods,
    ]),
  }),
] as const satisfies readonly Latitude[]

/** Ways to take the fields of a PATCH. */
export const changesOfFields = [
  latitude('change-ignores-variables', 'A PATCH of variables is answered 200, whatever they are, and ignored.', {
    about: 'changes',
    change: patching((_, { env, ...body }, next) => next(body)),
  }),
  latitude('change-completes-path', 'A PATCH puts a slash before a path of a network mount that begins without one.', {
    about: 'changes',
    change: patching((pod, _, next) => {
      next()
      const [network] = pod.mounts.network ?? []
      if (network?.path.startsWith('/') === false) pod.mounts = { network: [{ ...network, path: `/${network.path}` }] }
    }),
  }),
  latitude('change-of-nothing-refused', 'A PATCH that names nothing to change is 400.', {
    about: 'changes',
    change: refusing(
      'patchPod',
      (_, body) => ['{}', '{"mounts":{}}'].includes(canonical(body)) && [400, 'there is nothing to change'],
    ),
  }),
  latitude('change-rounds-disk', 'A PATCH sets a disk to the next ten GB.', {
    about: 'changes',
    change: patching((pod, body, next) => {
      next()
      if ('disk' in body) pod.disk = Math.ceil(pod.disk / 10) * 10 + 10
    }),
  }),
  latitude('locked-pod-keeps-fields', 'A PATCH of a locked pod is answered 409, unless it names the lock alone.', {
    about: 'changes',
    change: refusing(
      'patchPod',
      ({ locked }, body) =>
        locked && canonical(Object.keys(membersOf(body) ?? {})) !== '["locked"]' && [409, 'the pod is locked'],
    ),
  }),
] as const satisfies readonly Latitude[]

/** No PATCH locks a RUNNING pod, as the target file says. */
function locksNone(target: Target): Target {
  return {
    ...plane({ locked: null })(target),
    absent: { ...target.absent, 'pod.locked': 'a RUNNING pod stays as it is' },
  }
}

/** For so long after a PATCH that was accepted, ms, a read of the pod shows what the last one before it did. */
export function showsLate(lagMs: number): (options: ReferenceOptions) => ReferenceOptions {
  return (options) => composeOptions(options, { wrapFetch: lagging(options.clock, lagMs) })
}

function lagging(clock: ReferenceClock, lagMs: number): FetchWrapper {
  return (fetch) => {
    const read = new Map<string, string>()
    const staleUntilMs = new Map<string, number>()
    return async (request) => {
      const { method, url } = request
      const response = await fetch(request)
      if (method === 'PATCH' && response.ok && read.has(url)) staleUntilMs.set(url, clock.now() + lagMs)
      if (method !== 'GET' || response.status !== 200) return response
      if (clock.now() < (staleUntilMs.get(url) ?? 0)) return new Response(read.get(url), response)
      const text = await response.text()
      read.set(url, text)
      return new Response(text, response)
    }
  }
}

/** PATCHes with a field that `is` picks are refused. */
function refusesFields(is: (name: string) => boolean): Change {
  return refusing(
    'patchPod',
    (_, body) => Object.keys(membersOf(body) ?? {}).some(is) && [422, 'this field cannot be changed'],
  )
}

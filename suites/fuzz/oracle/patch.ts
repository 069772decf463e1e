import type { ValidationFailure, Validator } from '../../../generated/validators.ts'
import { canonical, type Members, membersOf } from '../../../harness/exchange/read.ts'
import { type Allowed, failuresOf, refusalOf, refused, refusing, type Situation, type Statuses } from './allowed.ts'
import { isUnusualText } from './reading.ts'

const asStated = 'mounts have to be complete, typed as stated and without further properties'

type Patched = Extract<Situation, { readonly operation: 'updatePod' }>

/** The permitted responses to a PATCH, by its mounts and those of the pod (heading Mounts, rules 1 to 4). */
export function ofPatch(value: unknown, pod: Patched, isMounts: Validator): Allowed[] {
  const members = membersOf(value)
  if (members === null) return [refused(refusing('notObject'), 'the body is not an object')]
  const { mounts, ...others } = members
  const beside = ofOthers(others, mounts)
  if (mounts === undefined) return [...beside, kept('no mounts are given', pod)]
  return [...beside, ...ofMounts(mounts, pod, isMounts)]
}

/** Which other fields a PATCH takes is not shown, and nor is one that changes nothing. */
function ofOthers(others: Members, mounts: unknown): Allowed[] {
  const isEmpty = mounts === undefined || Object.keys(membersOf(mounts) ?? { mounts }).length === 0
  const isAlone = Object.keys(others).length === 0
  if (isAlone && !isEmpty) return []
  const reason = isAlone ? 'there is nothing to change' : 'the fields of a PATCH beside mounts are not shown'
  return [refused([400, 409, 422], reason, 'Other operations')]
}

function ofMounts(mounts: unknown, pod: Patched, isMounts: Validator): Allowed[] {
  const without = withoutNulls(mounts)
  if (without !== undefined) {
    const asNull = refused([400, 422], 'null for a mount is not spoken of', 'Mounts')
    return [
      { ...asNull, left: { to: 'pods.patch.null', answers: 'any' } },
      ...(without === null ? [kept('null can be taken as left out', pod)] : ofMounts(without, pod, isMounts)),
    ]
  }
  const failures = failuresOf(mounts, isMounts)
  const breaks = membersOf(mounts) === null ? [] : breaksIn(membersOf(mounts) ?? {}, pod)
  const isAccepted = failures.length + breaks.length === 0
  return [
    ...failures.map((failure) => refusalOf(failure, asStated, 'Mounts')),
    ...breaks,
    ...(isAccepted ? accepted(mounts, pod) : []),
    ...openIn(mounts, pod, failures),
  ]
}

/** Mounts without the kinds that are null; null if mounts are null themselves; undefined if nothing is null. */
function withoutNulls(mounts: unknown): Members | null | undefined {
  if (mounts === null) return null
  const members = Object.entries(membersOf(mounts) ?? {})
  const isNull = ([name, value]: [string, unknown]) => value === null && (name === 'persistent' || name === 'network')
  if (!members.some(isNull)) return undefined
  return Object.fromEntries(members.filter((member) => !isNull(member)))
}

/** Rules about a request that depend on the pod. */
function breaksIn({ persistent, network }: Members, pod: Patched): Allowed[] {
  const { kind, mounts, otherVolumes, isVolumeThere } = pod
  const own = membersOf(mounts) ?? {}
  const broken: Allowed[] = []
  const breaks = (answers: Statuses, reason: string) => broken.push(refused(answers, reason, 'Mounts'))
  const list = Array.isArray(network) ? (network as readonly unknown[]) : null
  if (persistent !== undefined) {
    if (kind === 'cpu') breaks(refusing('cpuPersistent'), 'a CPU pod has no persistent mount')
    else if (own.persistent === undefined) breaks([400], 'the pod was created without a persistent mount')
  }
  if (network !== undefined && list?.length !== 0) {
    const volume = firstOf(own.network)?.volumeId
    if (volume === undefined) {
      breaks(isVolumeThere ? [400] : [400, 404, 422], 'the pod was created without a network mount')
    }
    for (const entry of volume === undefined ? [] : (list ?? [])) {
      const asked = membersOf(entry)?.volumeId
      if (asked === undefined || asked === volume) continue
      const isThere = otherVolumes.includes(String(asked))
      breaks(isThere ? [400] : [400, 404, 422], 'the volume of a pod cannot be changed')
    }
  }
  return broken
}

function accepted(mounts: unknown, pod: Patched): Allowed[] {
  const own = pod.mounts
  if (Object.keys(membersOf(mounts) ?? {}).length === 0) return [kept('mounts without a kind change nothing', pod)]
  // A platform may show another form of such a path, as it may refuse it.
  const isUnusual = isUnusualText(JSON.stringify(mounts)) || hasUnusualPath(mounts)
  return [
    {
      answers: '2xx',
      reason: canonical(mounts) === canonical(own) ? 'these are the mounts that it has' : 'its mount may be changed so',
      source: 'Mounts',
      after: { kind: 'mounts', mounts: isUnusual ? null : mounts },
    },
  ]
}

/** Refusals that are nobody's promise: which paths can be mounted at, and whether a size can be changed. */
function openIn(mounts: unknown, { mounts: own }: Patched, failures: readonly ValidationFailure[]): Allowed[] {
  const { persistent } = membersOf(mounts) ?? {}
  return [
    ...(hasUnusualPath(mounts)
      ? [refused([400, 422], 'which paths can be mounted at is not spoken of', 'Mounts')]
      : []),
    ...(isOtherSize(persistent, membersOf(own)?.persistent) ? [otherSize(failures)] : []),
  ]
}

function hasUnusualPath(mounts: unknown): boolean {
  const { persistent, network } = membersOf(mounts) ?? {}
  const paths = [membersOf(persistent)?.path, ...(Array.isArray(network) ? network : []).map((n) => membersOf(n)?.path)]
  return paths.some((path) => typeof path === 'string' && !/^(\/[\w.-]+)+$/.test(path))
}

function otherSize(failures: readonly ValidationFailure[]): Allowed {
  const refusal = refused('4xx', 'whether a size can be changed is not spoken of', 'Mounts')
  const isValid = !failures.some(({ instancePath }) => instancePath === '/persistent/size')
  return isValid ? { ...refusal, left: { to: 'pods.patch.persistent-size', answers: 'any' } } : refusal
}

function isOtherSize(asked: unknown, own: unknown): boolean {
  const size = membersOf(asked)?.size
  const present = membersOf(own)?.size
  return typeof size === 'number' && present !== undefined && size !== present
}

function firstOf(network: unknown): Members | null {
  return Array.isArray(network) ? membersOf(network[0]) : null
}

/** Accepted, with the mounts that it had; other fields may be others. */
function kept(reason: string, { mounts }: Patched): Allowed {
  return { answers: '2xx', reason, source: 'Mounts', after: { kind: 'mounts', mounts } }
}

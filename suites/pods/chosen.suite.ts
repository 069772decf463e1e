import { isDeepStrictEqual } from 'node:util'
import { withEntry } from '../../harness/common/with-entry.ts'
import { type Exchange, isSuccess, jsonOf } from '../../harness/exchange/exchange.ts'
import { idIn, type Members, membersOf, show, textIn } from '../../harness/exchange/read.ts'
import { invariant } from '../../harness/rule/registry.ts'
import type { Target } from '../../target/types.ts'
import { isOfRun } from '../shared/changing.ts'
import { joined, judged, type Shown } from '../shared/shapes.ts'
import { isShown } from './creation.ts'
import { podsShown } from './pods-in.ts'

/** Members of a creation that a pod shows, and that only a PATCH changes. */
const lasting = [
  ...['name', 'args', 'disk', 'env', 'ports', 'registry', 'mounts'],
  ...['cloud', 'gpu', 'cpu', 'template', 'locked'],
]

/** Members that a PATCH of another one may change: a new name may clear the arguments. */
const changeable: ReadonlySet<string> = new Set(['args', 'env'])

/** The texts in a member that only rules put there: variables, and the words that a PATCH adds to the arguments. */
const ofRunIn: Readonly<Record<string, (value: unknown) => readonly string[]>> = {
  env: (value) => Object.keys(membersOf(value) ?? {}).filter(isOfRun),
  args: (value) =>
    textIn(value)
      .split(/\s+/)
      .filter((word) => /^plumbline-\w$/.test(word)),
}

/** Their names in a finding. */
const calls: Readonly<Record<string, string>> = { env: 'variable', args: 'argument' }

/** A pod that the run has created. */
interface Chosen {
  /** The lasting members of its creation, or of the last PATCH that named them. */
  readonly asked: Members
  /** Those of them that the pod has shown as asked; a platform may show another value from the beginning. */
  readonly shown: ReadonlySet<string>
  /** The lasting members that it shows otherwise, or that nobody asked for. */
  readonly others: Members
  /**
   * Those that a PATCH named, even if it was refused: when the last of these was answered, ms. For some time, a read may show a
   * former value.
   */
  readonly patched: ReadonlyMap<string, number>
  /** When the last PATCH was answered, ms. */
  readonly patchedMs: number
  /** The values that PATCHes have replaced. */
  readonly former: Readonly<Record<string, readonly unknown[]>>
  /** Differences in a list; null if there are none. */
  readonly doubt: Doubt | null
}

/**
 * Differences in a list. They count once a later request about the pod shows that no PATCH was under way: rules list the pods of
 * other rules, and a list may show a PATCH before its response arrives.
 */
interface Doubt {
  readonly findings: Shown['findings']
  readonly listedMs: number
}

invariant<ReadonlyMap<string, Chosen>>('pods.shape.id-matches', new Map(), (known, exchange, target) => {
  const { n, operation, received, subject } = exchange
  const { findings, state: before } = afterDoubt(known, exchange)
  const [id, chosen] = operation === 'createPod' ? createdIn(exchange) : [subject, patchedIn(exchange, before)]
  let state = id === null || chosen === null ? before : withEntry(before, id, chosen)
  const seen: Shown[] = [{ exercised: [], findings }]
  for (const pod of podsShown(exchange, target)) {
    if (typeof pod.id !== 'string' || operation === 'createPod') continue
    if (subject !== null) seen.push(judged('id', pod.id === subject, 'the id asked for', 'another id'))
    const own = state.get(pod.id)
    // A pod that is gone for good need not show anything else.
    if (own === undefined || pod.status === 'TERMINATED') continue
    const { exercised, findings, shown, others } = judgeChosen(pod, own, exchange, target)
    const isDoubtful = subject === null && findings.length > 0
    seen.push({ exercised, findings: isDoubtful ? [] : findings })
    const listed = { findings: findings.map((one) => ({ ...one, exchange: n })), listedMs: received.target }
    const doubt = isDoubtful ? listed : own.doubt
    // Most reads show nothing new.
    if (shown.size > own.shown.size || doubt !== own.doubt || !isDeepStrictEqual(others, own.others))
      state = withEntry(state, pod.id, { ...own, shown, others, doubt })
  }
  return { state, ...joined(seen) }
})

/** Judges a pod by what was chosen for it; `shown` and `others`: what it has now shown as it was asked for, and what else. */
function judgeChosen(pod: Members, own: Chosen, { operation, sent }: Exchange, target: Target) {
  const { asked, shown, patched, patchedMs, former } = own
  const names = Object.keys(asked).filter((name) => name in pod)
  // A name that was made unique is another one from the beginning.
  const shows = (name: string, value: unknown) =>
    name === 'name' ? pod.name === value : isShown(name, value, { value: pod })
  const asAsked = names.filter((name) => shows(name, asked[name]))
  const mayLag = (sinceMs = Number.NEGATIVE_INFINITY) => sent.target < sinceMs + target.tolerances.visibleMs
  const lags = (name: string) =>
    mayLag(patched.get(name)) && isFormer(former[name] ?? [], (value) => shows(name, value))
  // The response to a PATCH may show another one that was sent at the same time.
  const isKnown = (name: string) => shown.has(name) && operation !== 'updatePod' && !lags(name)
  const seen = names.filter(isKnown).map((name) => {
    if (asAsked.includes(name)) return judged('kept', true, '', '')
    const expected = `the ${name} that was chosen for ${pod.id}, ${show(asked[name])}`
    return judged('kept', false, expected, `another ${name}`)
  })
  // A template may give a pod anything.
  for (const [name, textsIn] of Object.entries(asked.template === undefined ? ofRunIn : {})) {
    if (patched.has(name)) continue
    const own = textsIn(asked[name] ?? '')
    const [other] = textsIn(pod[name] ?? '').filter((text) => !own.includes(text))
    const what = calls[name]
    seen.push(judged('own', other === undefined, `no ${what} of another pod`, `the ${what} ${other}`))
  }
  const others = Object.fromEntries(Object.entries(lastingIn(pod)).filter(([name]) => !asAsked.includes(name)))
  // A PATCH may change members that it does not name, and a late read shows them as they were.
  const isSettled = (name: string) => !changeable.has(name) || !mayLag(patchedMs) || patched.get(name) === patchedMs
  return { ...joined(seen), shown: new Set([...shown, ...asAsked.filter(isSettled)]), others }
}

/** True if one of the former values is shown, or none is known: a pod may be changed before anything has shown it. */
function isFormer(values: readonly unknown[], shows: (value: unknown) => boolean): boolean {
  return values.length === 0 || values.some(shows)
}

/** The findings of a doubt that this exchange resolves, and the pods without that doubt. */
function afterDoubt(known: ReadonlyMap<string, Chosen>, { operation, sent, subject }: Exchange) {
  const own = known.get(subject ?? '')
  if (own === undefined || own.doubt === null) return { findings: [], state: known }
  const isPatch = operation === 'updatePod'
  const isLater = isPatch ? sent.target > own.doubt.listedMs : sent.target >= own.doubt.listedMs
  if (!isLater && !isPatch) return { findings: [], state: known }
  const state = withEntry(known, subject ?? '', { ...own, doubt: null })
  return { findings: isLater ? own.doubt.findings : [], state }
}

const unseen: Omit<Chosen, 'asked'> = {
  shown: new Set(),
  others: {},
  patched: new Map(),
  patchedMs: Number.NEGATIVE_INFINITY,
  former: {},
  doubt: null,
}

/** The pod of a creation of the run, as it was asked for. */
function createdIn({ request, response }: Exchange): readonly [string | null, Chosen | null] {
  const body = bodyOf(request)
  // Only those of a run: a client in recorded traffic may change its pods at any time.
  if (response === null || !isSuccess(response.status) || body === null || !isOfRun(textIn(body.name)))
    return [null, null]
  return [idIn(jsonOf(response.body)), { ...unseen, asked: { env: {}, locked: false, ...lastingIn(body) } }]
}

function lastingIn(body: Members): Members {
  return Object.fromEntries(lasting.flatMap((name) => (name in body ? [[name, body[name]]] : [])))
}

/**
 * A pod after a PATCH: with the members that this asked for, or without them if it was refused. Without any member if the body
 * is no object.
 */
function patchedIn(
  { operation, received, request, response, subject }: Exchange,
  known: ReadonlyMap<string, Chosen>,
): Chosen | null {
  const before = known.get(subject ?? '')
  if (operation !== 'updatePod' || before === undefined) return null
  const sent = bodyOf(request)
  // A body that is not an object may ask for anything.
  const body = sent ?? Object.fromEntries(lasting.map((name) => [name, undefined]))
  // A platform may call the lock otherwise in a PATCH than in a pod.
  const isKnown = Object.keys(body).every((name) => name === 'image' || lasting.includes(name))
  const isLeft = (name: string) => !(name in body) && (isKnown || name !== 'locked')
  // Variables that it does not name may be removed or not.
  const isAccepted = response !== null && isSuccess(response.status)
  const { env: _, ...named } = isAccepted ? lastingIn(sent ?? {}) : {}
  const replaced = Object.keys(lastingIn(body)).map((name) => {
    const values = [before.asked[name], before.others[name]].filter((value) => value !== undefined)
    return [name, [...(before.former[name] ?? []), ...values]] as const
  })
  // pods.patch.others judges whether a PATCH changes what it does not name.
  const isKept = (name: string) => isLeft(name) && !(isAccepted && changeable.has(name))
  return {
    asked: { ...Object.fromEntries(Object.entries(before.asked).filter(([name]) => isLeft(name))), ...named },
    shown: new Set([...before.shown].filter(isKept)),
    others: before.others,
    patched: new Map([
      ...before.patched,
      ...Object.keys(lastingIn(body)).map((name) => [name, received.target] as const),
    ]),
    patchedMs: received.target,
    former: { ...before.former, ...Object.fromEntries(replaced) },
    doubt: null,
  }
}

function bodyOf({ body }: Exchange['request']): Members | null {
  return body === null ? null : membersOf(jsonOf(body))
}

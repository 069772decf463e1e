import type { ApiResponse } from '../../harness/client/api-response.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import { changedFields, fieldsText, liveFields, type PodView, podOf } from '../../harness/exchange/read.ts'
import { inconclusiveIfOutage } from '../../harness/rule/check.ts'
import type { Context } from '../../harness/rule/context.ts'
import { blockIfStatusNeverLasts } from '../shared/unchanged.ts'
import type { FuzzCase } from './cases.ts'
import { type Allowed, isIn } from './oracle.ts'
import { allowedOf, asideAfter, isChange, lookAfterMs, sendTwice, type Trial, withMountsOf } from './trial.ts'

/** The result of cases that were sent to a new pod, one after the other. */
export interface Played {
  /** The response to the last case. */
  readonly response: ApiResponse
  readonly allowed: readonly Allowed[]
  /** True if that response is in a permitted class. */
  readonly isAllowed: boolean
  /** The fault of the pod afterwards; null if there is none, or the pod is of no more use. */
  readonly change: Change | null
}

export interface Change {
  readonly text: string
  /** The response that shows it. */
  readonly response: ApiResponse
}

/** A pod that cases were sent to and that is as it should be. */
interface Used {
  readonly pod: PodView
  readonly sent: readonly FuzzCase[]
  readonly aside: ReadonlySet<string>
}

interface PlayerOptions {
  /** Told of each pod that is given up. */
  readonly drop?: (pod: PodView) => Promise<void>
  /** True if the pod is looked at afterwards; false if only the response matters. */
  readonly looks?: boolean
}

/**
 * Makes a function that sends cases to a new pod and looks at it afterwards. As long as nothing has changed the pod, it
 * serves again for cases that begin with those it was sent. The function rejects with ClauseViolated if a case is accepted and
 * comes to something else.
 */
export function createPlayer(
  context: Context,
  trial: Trial,
  { drop = async () => {}, looks = true }: PlayerOptions = {},
) {
  let used: Used | null = null

  async function begin(cases: readonly FuzzCase[]): Promise<Used> {
    const known = used
    used = null
    if (known !== null && cases.length > known.sent.length && known.sent.every((one, at) => one === cases[at])) {
      return known
    }
    if (known !== null) await drop(known.pod)
    return { pod: await trial.make(), sent: [], aside: new Set() }
  }

  return async (cases: readonly FuzzCase[]): Promise<Played> => {
    let { pod, sent, aside }: Used = await begin(cases)
    let last: Omit<Played, 'change'> | null = null
    let isUsedUp = false
    for (const one of cases.slice(sent.length)) {
      if (isUsedUp) [pod, aside, isUsedUp] = [await trial.make(), new Set(), false]
      const allowed = allowedOf(trial, pod, one.bytes)
      const response = await sendTwice(trial, pod, one.bytes)
      inconclusiveIfOutage(response)
      const seen = allowed.filter(({ answers }) => isIn(response.status, answers))
      last = { response, allowed, isAllowed: seen.length > 0 }
      if (!seen.some(isChange)) continue
      const after = seen.map((each) => each.after)
      const next = await trial.accepted(pod, after, one)
      if (next === null) await drop(pod)
      isUsedUp = next === null
      pod = next === null ? pod : withMountsOf(pod, next)
      aside = asideAfter(aside, one, after)
    }
    if (last === null) throw new Error('no case to send')
    const isOutOfHand = !last.isAllowed && isSuccess(last.response.status)
    if (isUsedUp || trial.isPodless) return { ...last, change: null }
    const change = looks && !isOutOfHand ? await changeOf(pod, aside) : null
    if (looks && !isOutOfHand && change === null) used = { pod, sent: cases, aside }
    else await drop(pod)
    return { ...last, change }
  }

  async function changeOf(pod: PodView, aside: ReadonlySet<string>): Promise<Change | null> {
    await context.clock.sleep(lookAfterMs(context))
    const response = await context.pods.get(pod.id)
    inconclusiveIfOutage(response)
    const status = podOf(response.json, response.exchange.n)?.status
    if (status !== undefined && status !== pod.status) await blockIfStatusNeverLasts(context, pod)
    const text = changesIn(pod, response, aside)
    return text === null ? null : { text, response }
  }
}

/**
 * The difference between a pod in a response and the pod before, as a text; null if there is none. Fields `aside` do not
 * count.
 */
export function changesIn(before: PodView, response: ApiResponse, aside?: Iterable<string>): string | null {
  const pod = response.status === 200 ? podOf(response.json, response.exchange.n) : null
  return pod === null ? `HTTP ${response.status}` : changesOf(before, pod, aside)
}

/** The same of a pod that was read. */
export function changesOf(before: PodView, { value }: PodView, aside: Iterable<string> = []): string | null {
  const changed = changedFields(before.value, value, new Set([...liveFields, ...aside]))
  return changed.length === 0 ? null : fieldsText(value, changed)
}

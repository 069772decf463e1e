import type { ApiResponse } from '../../harness/client/api-response.ts'
import { idIn, type Members, type PodView, show } from '../../harness/exchange/read.ts'
import type { Settled } from '../../harness/planes/pods/access.ts'
import { restartBeginsMs } from '../../harness/planes/pods/fixtures/history.ts'
import type { Context } from '../../harness/rule/context.ts'
import { inconclusiveIfScarce } from '../pods/answers.ts'
import { comparable, expectList } from '../shared/listing.ts'
import { blockIfStatusNeverLasts } from '../shared/unchanged.ts'
import {
  isAlive,
  type PodModel,
  settle,
  type Unexplained,
  unexplainedFields,
  unexplainedIn,
  type WalkModel,
} from './model.ts'

/** Looks at the pods of a walk. `after` adds the steps so far to an expectation. */
export function createLooks(context: Context, after: (expected: string) => string) {
  const { check, clock, notJudged, target } = context
  const { settleMs, visibleMs } = target.tolerances

  /** Waits until a pod is in the status in which it stays, with all that is kept. */
  async function expectRest(pod: PodModel, action: string): Promise<void> {
    const { id, rest, seen } = pod
    if (action === 'restart') await clock.sleep(restartBeginsMs)
    const started = action === 'start' ? await context.settleStarted(id) : null
    const isThere = (status: string, read: PodView | null) =>
      statusOf(status) === rest && unexplainedIn(pod, status, read) === null
    const isStarted = started !== null && isThere(started.status, started.pod)
    const read = isStarted ? started : await context.settle(id, isThere, settleMs)
    if (rest === 'RUNNING' && read.status === 'PROVISIONING') await inconclusiveIfScarce(context, seen)
    settle(pod, statusOf(read.status) === rest ? read.pod : null)
    await expectIn(pod, read)
  }

  /** A read shows a pod as the model explains it, at the latest when a write must have become visible. */
  async function expectExplained(pod: PodModel): Promise<void> {
    await expectIn(
      pod,
      await context.settle(pod.id, (status, seen) => unexplainedIn(pod, status, seen) === null, visibleMs),
    )
  }

  /** The last read of a pod shows nothing but what the model explains. */
  async function expectIn(pod: PodModel, { status, pod: read, response }: Settled): Promise<void> {
    const wrong = unexplainedIn(pod, status, read)
    check('status').saw(response)
    check('kept').saw(response)
    if (wrong === null) return
    if (wrong.clause === 'status' && read !== null && isAlive(pod))
      await blockIfStatusNeverLasts(context, { ...pod.seen, status: pod.rest }, 'fresh')
    check(wrong.clause).that(false, after(wrong.expected), wrong.observed, response)
  }

  /** The list has each pod that is there once and as it is, and none that was terminated, but as TERMINATED. */
  async function expectListed({ pods }: WalkModel): Promise<ApiResponse> {
    const response = await expectList(context, 'listed', (entries, isPage) => {
      for (const pod of pods) {
        const own = entries.filter((entry) => idIn(entry) === pod.id)
        const name = `pod ${pod.letter}`
        if (own.length === 0 && isPage) notJudged('listed', 'a pod may be on another page of the list')
        else if (own.length !== 1 && isAlive(pod))
          return [after(`${name} in the list once`), `${name} ${own.length} times`]
        const wrong = own.map((entry) => unexplainedEntry(pod, entry)).find((each) => each !== null)
        if (wrong) return [after(`${name} with ${wrong.expected}`), `${name} with ${wrong.observed}`]
      }
      return null
    })
    check('listed').saw(response)
    return response
  }

  return { expectRest, expectExplained, expectListed }
}

function statusOf(seen: string): string {
  return seen === 'gone' ? 'TERMINATED' : seen
}

/** The same of an entry of the list. */
function unexplainedEntry(pod: PodModel, entry: Members): Omit<Unexplained, 'clause'> | null {
  const { rest, statuses } = pod
  const { status = rest } = entry
  if (statuses.some((each) => each === status))
    return isAlive(pod) ? unexplainedFields(pod, comparable(entry, pod.kept)) : null
  return { expected: `status ${statuses.join(' or ')}`, observed: `status ${show(status)}` }
}

import { isDeepStrictEqual } from 'node:util'
import type { ApiResponse } from '../../harness/client/api-response.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import { listOf, membersOf, noListText } from '../../harness/exchange/read.ts'
import { defaultStream } from '../../harness/planes/queue/defaults.ts'
import type { SubmittedJob } from '../../harness/planes/queue/fixtures/types.ts'
import { redactorOf } from '../../harness/record/describe.ts'
import { isRefusal } from '../../harness/rule/check.ts'
import type { Context } from '../../harness/rule/context.ts'
import { responsesTo } from '../shared/at-once.ts'
import { differenceOf } from '../shared/difference.ts'
import { poll } from '../shared/poll.ts'

/** The output of every job whose partial results are compared. */
export const streamedOutput = 'done'

export type StreamReader = ReturnType<typeof streamReader>

/** A reader of the partial results of a job, by the mapping of the target file. */
export function streamReader(context: Context, job: SubmittedJob) {
  const { check, target } = context
  const { id, queue } = job
  const { at, form, outputAt } = target.queue?.stream ?? defaultStream
  let all: readonly unknown[] = []
  let last: ApiResponse | null = null

  function take(response: ApiResponse): ApiResponse {
    last = response
    check('answered').success(response)
    const list = listOf(response.json, at)
    const without = noListText('/stream', response.status, at, 'queue.stream.at')
    check('answered').that(list !== null, 'a list of partial results', without, response)
    const shown = (list ?? []).map((entry) => (outputAt === '' ? entry : membersOf(entry)?.[outputAt]))
    // A cumulative stream may be empty once the job has ended.
    if (form === 'new' || shown.length > 0) all = form === 'new' ? [...all, ...shown] : shown
    return response
  }

  /** A platform may show the output of a job as its last part. */
  const parts = () => (all.at(-1) === streamedOutput ? all.slice(0, -1) : all)

  /** The same for a stream that may be over. */
  function takeAny(response: ApiResponse): ApiResponse {
    return isSuccess(response.status) ? take(response) : response
  }

  return {
    job,
    /** The partial results that have been shown so far. */
    parts,
    /** The last response with partial results, or an empty list of them. */
    last: () => last,
    begin: () => queue.held.stream(id),
    takeAny,
    readAny: async () => takeAny(await queue.stream(id)),
    /**
     * Reads once, and again while fewer than `count` partial results have been shown, for as long as a write may be late. A
     * stream that `mayBeOver` may respond with a 4xx.
     */
    readUntil(count: number, mayBeOver = false): Promise<ApiResponse> {
      const isEnd = (response: ApiResponse) => mayBeOver && isRefusal(response)
      async function look(): Promise<ApiResponse> {
        for (;;) {
          const before = parts().length
          const response = await queue.stream(id)
          if (isEnd(response)) return response
          take(response)
          // A response may hold one part of many.
          if (parts().length <= before || parts().length >= count) return response
        }
      }
      const isDone = (response: ApiResponse) => isEnd(response) || parts().length >= count
      return poll(context, target.tolerances.visibleMs, look, isDone)
    },
  }
}

/** A reader gets these partial results and no others. */
export async function expectParts(
  context: Context,
  clause: string,
  reader: StreamReader,
  expected: readonly unknown[],
): Promise<void> {
  await reader.readUntil(expected.length)
  expectRead(context, clause, reader, expected)
}

/** A reader has got these partial results and no others. */
export function expectRead(
  { check, inconclusive, target }: Context,
  clause: string,
  { job, last, parts }: StreamReader,
  expected: readonly unknown[],
): void {
  const difference = differenceOf(expected, parts(), redactorOf(target).text)
  if (difference !== null && job.beacon.executions().length > 1) inconclusive('the job was executed again')
  check(clause).that(difference === null, `in the parts ${difference?.expected}`, `${difference?.observed}`, last())
}

/** Two readers at once get all the numbers that a job emits, each of them in order and none twice. */
export async function expectShared(
  context: Context,
  clause: string,
  job: SubmittedJob,
  keys: readonly string[],
  expected: readonly number[],
): Promise<void> {
  const { check, clock, target } = context
  const readers = [streamReader(context, job), streamReader(context, job)]
  const seen = () => new Set(readers.flatMap(({ parts }) => parts().map(Number)))
  const look = async (key?: string): Promise<ApiResponse | null> => {
    const open = readers.map(({ begin }) => begin())
    if (key !== undefined) {
      // Both calls wait by then.
      await clock.sleep(1_000)
      job.beacon.release(key)
    }
    const responses = await responsesTo(context, open)
    for (const [n, response] of responses.entries()) if (response !== null) readers[n]?.takeAny(response)
    return responses.at(-1) ?? null
  }
  for (const key of keys) await look(key)
  const last = await poll(
    context,
    target.tolerances.visibleMs,
    () => look(),
    () => seen().size >= expected.length,
  )
  const together = [...seen()].sort((a, b) => a - b)
  check(clause).that(isDeepStrictEqual(together, expected), partsText(expected), partsText(together), last)
  for (const { parts } of readers) {
    const own = parts().map(Number)
    const isInOrder = own.every((part, n) => n === 0 || part > Number(own[n - 1]))
    check(clause).that(isInOrder, 'parts in order, none twice', 'parts out of order, or one twice', last)
  }
}

function partsText(parts: readonly number[]): string {
  return `parts ${parts.join(', ')}`
}

import type { ApiResponse } from '../../harness/client/api-response.ts'
import { mutate } from '../../harness/common/mutate.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import { idOrNumberIn, type Members, membersOf, resourcesIn, show } from '../../harness/exchange/read.ts'
import type { SubmittedJob } from '../../harness/planes/queue/fixtures/types.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { expectOwnOutput, submitTo } from '../shared/endpoint-jobs.ts'
import {
  createdEndpoint,
  get,
  idleTimeoutOf,
  isQuotaUsed,
  retryWhileQuotaIsUsed,
  sectionOf,
  update,
  workersOf,
} from '../shared/endpoints.ts'
import { showsAsSent } from '../shared/listing.ts'
import { poll } from '../shared/poll.ts'
import { expectRefusal } from '../shared/refusal.ts'
import { rereadMoments } from '../shared/unchanged.ts'

/** Members of a creation that a read may show. */
const parameters = ['name', 'templateId', 'gpuTypeIds', 'workersMin', 'workersMax', 'idleTimeout'] as const

rule('endpoints.update-keeps', { varies: ['order', 'look'], creates: 2 }, async (context) => {
  const { check, inconclusive, notJudged, part, vary } = context
  const { id } = await createdEndpoint(context, { idleTimeout: idleTimeoutOf(context, 7) })
  const read = await get(context, id)
  const shown = membersOf(read.json)
  if (read.status >= 500) check('kept').success(read)
  if (!isSuccess(read.status) || shown === null)
    return inconclusive(`a read of the endpoint was answered ${read.status}`)
  let kept = Object.fromEntries(Object.entries(shown).filter(([name]) => parameters.some((own) => own === name)))
  if (Object.keys(kept).length === 0) notJudged('changed', 'a read of the endpoint shows none of its parameters')
  const refused: ApiResponse[] = []
  // A platform may take 0 for nothing, which shows only while the value is another one.
  const bodies = [...vary.ordered(updates(context)), { workersMin: 0 }, {}]
  for (const body of bodies) {
    const response = await retryWhileQuotaIsUsed(context, () => update(context, id, body), isQuotaUsed)
    if (response.status >= 500) check('accepted').success(response)
    // A platform may fix some members at creation.
    if (!isSuccess(response.status)) refused.push(response)
    else kept = await expectUpdated(context, id, body, kept)
  }
  if (refused.length === bodies.length) for (const response of refused) check('accepted').success(response)
  check('accepted').saw(read)
  for (const body of vary.ordered(wrongUpdates(context))) {
    const call = { ids: { id }, body, mustBeRefused: true }
    expectRefusal(context, 'refused', await context.on('management').call('updateEndpoint', call))
  }
  for await (const _ of rereadMoments(context)) expectKept(context, await get(context, id), kept)
  await expectListed(context, id, kept)
  if (part('queue') && part('management.worker')) await expectWorks(context, id)
})

/** The list shows the endpoint as reads do, in the members that it has; the name may be shown otherwise. */
async function expectListed(context: Context, id: string, kept: Members): Promise<void> {
  const { check, on, target } = context
  const wanted = Object.entries(kept).filter(([name]) => name !== 'name')
  const look = async () => {
    const response = await on('management').call('listEndpoints')
    const list = isSuccess(response.status) ? resourcesIn(response.json, sectionOf(context).listAt) : null
    const entry = membersOf(list?.find((one) => idOrNumberIn(one) === id)) ?? {}
    return { response, entry, different: wanted.filter((one) => !isShown(entry, one)) }
  }
  const isDone = ({ different }: Awaited<ReturnType<typeof look>>) => different.length === 0
  const { response, entry, different } = await poll(context, target.tolerances.visibleMs, look, isDone)
  for (const [name, value] of different) {
    check('kept').that(false, textOf(name, value), `${textOf(name, entry[name])} in the list`, response)
  }
}

/** Updates of one member each, and of three. */
function updates(context: Context): readonly Members[] {
  const { nextName, part } = context
  const { gpus } = sectionOf(context)
  return [
    { workersMin: 1 },
    { name: `${nextName()} \u{e9}\u{6f22}\u{1f680}` },
    { name: nextName() },
    { idleTimeout: idleTimeoutOf(context, 3) },
    { workersMax: workersOf(context, 2) },
    ...(part('gpu.several') ? [{ gpuTypeIds: gpus.toReversed() }, { gpuTypeIds: gpus }] : []),
    { name: nextName(), workersMax: 1, idleTimeout: idleTimeoutOf(context, 4) },
  ]
}

/** Updates with a wrong value beside one that could be carried out. */
function wrongUpdates(context: Context): readonly Members[] {
  const wrong = [
    { name: [context.nextName()] },
    { gpuTypeIds: { first: 'gpu' } },
    { workersMin: '0' },
    { workersMax: 1.5 },
    { templateId: mutate(sectionOf(context).template) },
  ]
  const valid = { idleTimeout: idleTimeoutOf(context, 6), name: context.nextName() }
  return [...wrong.map((members) => ({ ...valid, ...members })), { idleTimeout: 'soon' }]
}

/** Reads show what an update changes, and the rest as before. Returns what they show now. */
async function expectUpdated(context: Context, id: string, body: Members, before: Members): Promise<Members> {
  const { check, target } = context
  const isUpdated = ({ json }: ApiResponse) => Object.entries(body).every((one) => isShown(membersOf(json) ?? {}, one))
  const response = await poll(context, target.tolerances.visibleMs, () => get(context, id), isUpdated)
  check('changed').status(response, 200)
  const after = check('changed').object(response)
  for (const [name, value] of Object.entries(body)) {
    const [expected, observed] =
      name === 'name' ? ['the new name', 'another name'] : [textOf(name, value), textOf(name, after[name])]
    check('changed').that(isShown(after, [name, value]), expected, observed, response)
  }
  const kept = { ...before, ...Object.fromEntries(Object.keys(body).map((name) => [name, after[name]])) }
  expectKept(context, response, kept)
  return kept
}

function expectKept({ check }: Context, response: ApiResponse, kept: Members): void {
  check('kept').status(response, 200)
  const after = check('kept').object(response)
  for (const [name, value] of Object.entries(kept)) {
    const [expected, observed] =
      name === 'name' ? ['the same name', 'another name'] : [textOf(name, value), textOf(name, after[name])]
    check('kept').that(show(after[name]) === show(value), expected, observed, response)
  }
}

/** True if an endpoint is shown with this member, or without the member. Something may be added to a name. */
function isShown(shown: Members, [name, value]: readonly [string, unknown]): boolean {
  return shown[name] === undefined || showsAsSent(shown, name, value)
}

function textOf(name: string, value: unknown): string {
  return `${name} ${show(value)}`
}

/** The endpoint still executes jobs with the worker of its template, also those that run or wait during an update. */
async function expectWorks(context: Context, id: string): Promise<void> {
  const output = Math.floor(context.random() * 2 ** 40)
  const running = context.part('receiver') ? await startJob(context, id, output) : null
  const waiting = await submitTo(context, id, { steps: [{ output }] })
  if (running !== null) {
    const workersMax = workersOf(context, 2)
    const idleTimeout = idleTimeoutOf(context, 5)
    for (const body of [{ idleTimeout }, { name: context.nextName() }, { workersMax }, { workersMax: 1 }]) {
      const { status } = await update(context, id, body)
      const changed = Object.keys(body).join()
      if (!isSuccess(status)) context.notJudged(`jobs during an update of ${changed}`, `it was answered ${status}`)
    }
    running.beacon.release('go')
  }
  for (const job of running === null ? [waiting] : [running, waiting]) {
    await expectOwnOutput(context, 'works', job, output, () => [
      'the output of the worker in the template',
      'another output',
    ])
  }
}

/** A job that runs until `go` is released. */
async function startJob(context: Context, id: string, output: unknown): Promise<SubmittedJob> {
  const { clock, target } = context
  const { coldStartMs, dispatchMs } = target.tolerances
  const job = await submitTo(context, id, { steps: [{ hold: 'go' }, { output }] })
  await clock.until(job.beacon.started(), clock.now() + coldStartMs + dispatchMs)
  return job
}

import type { ApiResponse } from '../../harness/client/api-response.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import { type Members, membersOf, type PodView, podOf } from '../../harness/exchange/read.ts'
import type { PodShape } from '../../harness/planes/pods/fixtures/types.ts'
import type { Context } from '../../harness/rule/context.ts'
import { unlessUnanswered } from '../../harness/rule/outcome.ts'
import { poll } from '../shared/poll.ts'

/** The report of a probe. */
export interface Report {
  readonly pod: PodView
  /** The address at which it responded. */
  readonly at: string
  readonly response: ApiResponse
  /** The start of its container; each start has another one. */
  readonly start: string
  readonly args: readonly unknown[]
  /** The variables that were asked for; null for one that is not set. */
  readonly env: Members
}

/** A RUNNING pod with the probe, whose container responds. `more`: further members of its creation. */
export async function probedPod(
  context: Context,
  shape: PodShape = {},
  { env, ...more }: Readonly<Record<string, unknown>> & { readonly env?: Members } = {},
): Promise<Report> {
  const { fixture } = context
  const pod = await fixture.pod('RUNNING', { ...shape, more: { ...probeBody(context, env), ...more } })
  const report = await reportOf(context, pod, Object.keys(env ?? {}))
  return report ?? notResponding(context)
}

/** Members of the body of a pod with the probe; `env` are further variables. */
export function probeBody({ on, target }: Context, env: Members = {}) {
  return on('probe').body({ ...membersOf(target.pods?.extra.env), ...env })
}

/** The report of a pod, as soon as its container responds and `isMeant`; null if that takes too long. */
export function reportOf(
  context: Context,
  pod: PodView,
  variables: readonly string[] = [],
  isMeant: (report: Report) => boolean = () => true,
): Promise<Report | null> {
  const look = async () => {
    const at = await addressOf(context, pod)
    const response = at === null ? null : await unlessUnanswered(context.on('probe').report(at, variables))
    const report = at === null || response === null ? null : readReport(pod, at, response)
    return report !== null && isMeant(report) ? report : null
  }
  return poll(context, context.target.tolerances.containerMs, look, (report) => report !== null)
}

/** The address of the probe in a pod; null while the pod does not show it. */
async function addressOf({ on, pods }: Context, { id }: PodView): Promise<string | null> {
  const probe = on('probe')
  const known = probe.addressById(id)
  if (known !== null) return known
  const { json, exchange } = await pods.get(id)
  const pod = podOf(json, exchange.n)
  return pod === null ? null : probe.addressIn(pod.value)
}

/** Null for a response that is not the probe's, such as that of a proxy. */
function readReport(pod: PodView, at: string, response: ApiResponse): Report | null {
  const { v, start, args, env } = membersOf(response.json) ?? {}
  if (response.status !== 200 || v !== 1 || typeof start !== 'string') return null
  return { pod, at, response, start, args: Array.isArray(args) ? args : [], env: membersOf(env) ?? {} }
}

/** Ends the rule because the container of a RUNNING pod does not respond. */
export function notResponding({ blocked }: Pick<Context, 'blocked'>): never {
  return blocked('pods.lifecycle.running-healthy', 'the container of a RUNNING pod does not respond')
}

/** A pod once it is restarted and RUNNING again; its container may still be the one of before. */
export async function restart({ blocked, pods, settle }: Context, { id }: PodView): Promise<PodView> {
  const { status } = await pods.act(id, 'restart')
  if (!isSuccess(status)) blocked('pods.action.running.restart', `restart was answered ${status}`)
  const rest = await settle(id, (seen) => seen === 'RUNNING')
  return rest.pod ?? blocked('pods.action.running.restart', `after restart the pod is ${rest.status}`)
}

/** The report of a later start of the container than that of another report; null if none responds. */
export function inAnotherStart(context: Context, pod: PodView, { start }: Report): Promise<Report | null> {
  return reportOf(context, pod, [], (report) => report.start !== start)
}

/** The text of a file in a container, null if there is none, and the response that shows it. */
export async function fileIn({ inconclusive, on }: Context, { at }: Report, path: string) {
  const response = await on('probe').readFile(at, path)
  const { error, text } = membersOf(response.json) ?? {}
  if (response.status === 200 && typeof text === 'string') return { response, text }
  if (response.status !== 404 || error === undefined) inconclusive(`the probe answered ${response.status} for a file`)
  return { response, text: null }
}

/** Writes a file; false if it is not there afterwards. */
export async function writeFile(context: Context, report: Report, path: string, text: string): Promise<boolean> {
  await context.on('probe').writeFile(report.at, path, text)
  return (await fileIn(context, report, path)).text === text
}

import { isSuccess } from '../../harness/exchange/exchange.ts'
import { type Members, membersOf, type PodView } from '../../harness/exchange/read.ts'
import { changeOf, shows } from '../../harness/planes/pods/fixtures/change.ts'
import { restartBeginsMs } from '../../harness/planes/pods/fixtures/history.ts'
import { planeOf } from '../../harness/planes/pods/fixtures/pod-body.ts'
import type { Context } from '../../harness/rule/context.ts'
import type { ChangeField } from '../../target/types.ts'
import { shown } from './patching.ts'

/** A pod that a harmless PATCH has changed. */
interface Changed {
  readonly pod: PodView
  /** Another PATCH of the same field; each `mark` makes another change. */
  readonly another: (mark: string) => Members
}

/** The fields that a PATCH may change harmlessly. */
export const changeFields: readonly ChangeField[] = ['name', 'env', 'args']

/** True for the variables and the names of a run. */
export function isOfRun(name: string): boolean {
  return /^plumbline/i.test(name)
}

/** A pod with those of its variables that rules set. */
export function withOwnVariables(value: Members): Members {
  return 'env' in value ? { ...value, env: variablesIn({ value }, true) } : value
}

/** The variables of a pod that rules set, or all others. */
export function variablesIn({ value }: Pick<PodView, 'value'>, areOwn: boolean): Members {
  const all = Object.entries(membersOf(value.env) ?? {})
  return Object.fromEntries(all.filter(([name]) => isOfRun(name) === areOwn))
}

/** A pod that no harmless PATCH has changed, and why. */
interface Unchanged {
  readonly said: string
  /** True if a PATCH was answered with success: it may be carried out later. */
  readonly isTaken: boolean
  /** True if the target file declares `pods.change` absent, and PATCH is answered as one that does not exist. */
  readonly isAbsent: boolean
}

/**
 * Changes the pod harmlessly and waits until that is read: the field that the target file names, or another one if PATCH
 * does not change that. Ends the rule as inconclusive if it changes none.
 */
export async function changes(context: Context, pod: PodView): Promise<Changed> {
  const tried = await triesToChange(context, pod)
  return 'pod' in tried ? tried : context.inconclusive(tried.said)
}

/** How a server answers a method that a path does not have. */
const noSuchOperation: ReadonlySet<number> = new Set([404, 405, 501])

/** The same without an end. */
export async function triesToChange(context: Context, pod: PodView): Promise<Changed | Unchanged> {
  const { change } = planeOf(context.target)
  let isTaken = false
  let isAbsent = change === null
  const said: string[] = []
  for (const field of new Set([change, ...(change === null ? [] : changeFields)])) {
    const body = changeOf(context, pod, 'b', field)
    const { status } = await context.pods.patch(pod.id, body)
    const seen = isSuccess(status) ? await shown(context, pod.id, (read) => shows(read, body)) : null
    if (seen?.settled === true && seen.pod !== null) {
      const changed = seen.pod
      return { pod: changed, another: (mark) => changeOf(context, changed, mark, field) }
    }
    isTaken ||= seen !== null
    isAbsent &&= noSuchOperation.has(status)
    said.push(
      `a PATCH of ${field ?? 'mounts'} ${seen === null ? `answered ${status}` : 'was answered and not carried out'}`,
    )
  }
  const hint =
    change === null
      ? ''
      : ' (if PATCH changes another field, set pods.change to it; if there is no PATCH, declare pods.change absent)'
  return { said: `${said.join(', ')}${hint}`, isTaken, isAbsent }
}

/** The pod once it is read with what a PATCH asked for. */
export async function changed(context: Context, id: string, body: Members): Promise<PodView> {
  const { pod, settled } = await shown(context, id, (seen) => shows(seen, body))
  if (settled && pod !== null) return pod
  return context.inconclusive(`a PATCH of ${Object.keys(body).join(' and ')} was answered and not carried out`)
}

/**
 * Takes the drawn steps (start, stop, restart) with a pod, after it was brought into the status from which they are taken.
 * Calls `look` after each step that succeeds.
 */
export async function afterwards(
  context: Context,
  { id, status: from }: PodView,
  look: (when: string) => Promise<unknown>,
): Promise<void> {
  const { clock, pods, settle, settleStarted, vary } = context
  const isDone = {
    stop: async () => (await settle(id, (seen) => seen === 'EXITED')).settled,
    start: async () => (await settleStarted(id)).status === 'RUNNING',
    restart: async () => {
      await clock.sleep(restartBeginsMs)
      return (await settle(id, (seen) => seen === 'RUNNING')).settled
    },
  }
  const { begin, life } = lives[vary.draw('afterwards')]
  // A new pod is on its way to RUNNING.
  if (begin === 'RUNNING' && from !== 'EXITED' && !(await isDone.start())) return vary.fellBack('afterwards')
  const isThere = begin === null || (begin === 'EXITED') === (from === 'EXITED')
  const steps: readonly (keyof typeof isDone)[] = isThere ? life : [begin === 'EXITED' ? 'stop' : 'start', ...life]
  for (const action of steps) {
    const { status } = await pods.act(id, action)
    if (!isSuccess(status) || !(await isDone[action]())) return vary.fellBack('afterwards')
    await look(` after ${action}`)
  }
}

/** The steps of each value, and the status from which they are taken. */
const lives = {
  nothing: { begin: null, life: [] },
  started: { begin: 'EXITED', life: ['start'] },
  'started and stopped': { begin: 'EXITED', life: ['start', 'stop'] },
  restarted: { begin: 'RUNNING', life: ['restart'] },
} as const

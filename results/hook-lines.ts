import type { HookEvent } from '../harness/record/events.ts'
import type { TargetFacts } from './rerun.ts'
import { comment, type Piece, withSecrets, word } from './shell.ts'

/** Most characters of a command that are shown. */
const shownCommand = 2_000

/** Variables of earlier shell lines. */
interface Place {
  readonly number: number
  /** Ids of pods as variables, wherever the pattern made from each finds them. */
  readonly withPods: (pieces: Piece[], around: (id: string) => string) => Piece[]
}

/** The hook of a pod: an address as a curl, a command of the other machine as a comment. */
export function hookLines(
  hook: HookEvent | null,
  { run, hooks }: { readonly run: string; readonly hooks: TargetFacts['hooks'] },
  { number, withPods }: Place,
): string[] {
  const called = hook === null ? undefined : hooks[hook.status]
  if (hook === null || called === undefined) return []
  const { pod, status, failure } = hook
  const title = comment(`${number}. hook of ${status}: ${failure === null ? 'done' : `failed (${failure})`} in the run`)
  if (typeof called === 'string') {
    const body = word(withPods([JSON.stringify({ run, pod, status })], quotedId))
    const request = `-X POST ${word(withSecrets(called))} -H 'Content-Type: application/json' --data-binary ${body}`
    return [title, `curl -s ${request}; echo`]
  }
  const id = word(withPods([pod], (known) => `^${known}$`))
  const variables = [`PLUMBLINE_RUN=${run}`, `PLUMBLINE_POD=${id}`, `PLUMBLINE_STATUS=${status}`]
  const line = [...variables, ...called.map((text) => word(withSecrets(text)))].join(' ')
  return [title, comment(`where Plumbline was started: ${line}`, shownCommand)]
}

/** The id of a pod as an entire JSON text. */
export function quotedId(id: string): string {
  return `(?<=")${id}(?=")`
}

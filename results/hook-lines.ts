import type { HookEvent } from '../harness/record/events.ts'
import type { TargetFacts } from './rerun.ts'
import { comment, type Piece, withSecrets, word } from './shell.ts'

/** A command is shown up to this many characters. */
const shownCommand = 2_000

/** How shell lines speak of what came before them. */
interface Place {
  readonly number: number
  /** Ids of pods as variables, where the pattern that is made around each finds them. */
  readonly withPods: (pieces: Piece[], around: (id: string) => string) => Piece[]
}

/** What was called for a pod from outside the API: an address as a curl, a command of the other machine as a comment. */
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

/** The id of a pod as the whole of a JSON text. */
export function quotedId(id: string): string {
  return `(?<=")${id}(?=")`
}

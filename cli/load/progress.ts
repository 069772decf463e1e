import { createLogUpdate } from 'log-update'
import type { Told } from '../../load/conduct.ts'
import type { Judged } from '../../load/judge-step.ts'
import type { Step } from '../../load/queue/steps.ts'
import { span } from '../progress.ts'
import type { Terminal } from '../terminal.ts'
import { estimateOf, msOf } from './caps.ts'

export interface LoadProgress extends Required<Told> {
  end(): void
}

/** Shows the current plan, the time left for it and for the whole load, and each verdict as soon as it is known. */
export function showLoadProgress(terminal: Terminal): LoadProgress {
  const update = terminal.live ? createLogUpdate(process.stderr) : null
  const { dim, red } = terminal.colors
  let steps: readonly Step[] = []
  let current: Step | null = null
  let beganAt = 0
  let done = 0

  const line = () => {
    if (current === null) return ''
    const elapsedMs = Date.now() - beganAt
    const rest = estimateOf(steps.slice(done + 1)).seconds * 1000
    const own = Math.max(0, msOf(current.plan) - elapsedMs)
    return `plan ${done + 1} of ${steps.length}: ${current.name}, ${span(own)} left; the whole ends in about ${span(own + rest)}`
  }
  const timer = update === null ? null : setInterval(() => update(dim(line())), 500)
  const say = (text: string) => {
    update?.clear()
    terminal.err(text)
  }

  return {
    planned(planned) {
      steps = planned
    },
    began(step) {
      current = step
      beganAt = Date.now()
      if (update === null) terminal.err(line())
    },
    judged(judged) {
      done++
      for (const text of linesOf(judged)) say(text.startsWith('  failed') ? red(text) : text)
    },
    end() {
      if (timer !== null) clearInterval(timer)
      update?.clear()
      update?.done()
    },
  }
}

export const noLoadProgress: LoadProgress = { planned() {}, began() {}, judged() {}, end() {} }

function linesOf({ verdicts, notes }: Judged): string[] {
  return [
    ...verdicts.map(({ rule, verdict, sentence }) => `  ${verdict}  ${rule}: ${sentence}`),
    ...notes.map((note) => `  ${note}`),
  ]
}

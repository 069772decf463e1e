import { lengthOf } from '../../../harness/common/length.ts'
import { pluralize } from '../../../harness/common/pluralize.ts'
import { ownerText } from '../../../harness/exchange/owner-names.ts'
import type { Progress } from '../../../harness/run/options.ts'
import type { Verdict } from '../../../verdicts/verdicts.ts'
import type { Terminal } from '../terminal.ts'
import type { createTimeLeft } from './time-left.ts'

/** The state of a run in progress. */
interface ProgressState {
  readonly rules: number
  readonly clock: string
  readonly done: number
  readonly counts: Readonly<Partial<Record<Verdict, number>>>
  /** The waits on the target's clock with their ends; `nowMs` is that clock when they were reported. */
  readonly waiting: { readonly nowMs: number; readonly pending: Pending } | null
  /** The plans of load under way. */
  readonly plans: readonly LoadPlan[]
}

type LoadPlan = Extract<Progress, { type: 'plan' }>

export const atStart: ProgressState = {
  rules: 0,
  clock: '',
  done: 0,
  counts: {},
  waiting: null,
  plans: [],
}

/** The state after one line of progress. */
export function advance(state: ProgressState, progress: Progress): ProgressState {
  switch (progress.type) {
    case 'started':
      return { ...state, rules: progress.rules, clock: progress.clock }
    case 'verdict': {
      const { verdict, done, total } = progress
      const counts = { ...state.counts, [verdict]: (state.counts[verdict] ?? 0) + 1 }
      return { ...state, rules: total, done, counts }
    }
    case 'waiting':
      return { ...state, waiting: { nowMs: progress.nowMs, pending: progress.pending } }
    case 'plan': {
      const others = state.plans.filter(({ n }) => n !== progress.n)
      return { ...state, plans: progress.isOver ? others : [...others, progress] }
    }
    default:
      return state
  }
}

/**
 * The lines of a live display; `sinceMs` is how long ago the last `waiting` came, `leftMs` how long the run goes on, if known.
 */
export function draw(state: ProgressState, sinceMs: number, leftMs: number | null, shown = 4): string[] {
  const [last] = state.plans.slice(-1)
  const lines = last === undefined ? [headline(state, leftMs)] : [headline(state, null), planLine(last, state.plans)]
  const { waiting } = state
  if (waiting === null || waiting.pending.length === 0) return lines
  const now = waiting.nowMs + (state.clock === 'real' ? sinceMs : 0)
  const timed = latest(waiting.pending)
  for (const { name, until } of timed.slice(0, shown))
    lines.push(`  waits ${span(until - now)} at most  ${ownerText(name)}`)
  if (timed.length > shown) lines.push(`  and ${timed.length - shown} more`)
  return lines
}

type Pending = Extract<Progress, { type: 'waiting' }>['pending']

/** The waits that have a deadline, the latest deadline first. */
function latest(pending: Pending) {
  return pending
    .filter((entry): entry is { name: string; until: number } => entry.until !== null)
    .sort((a, b) => b.until - a.until)
}

/** `41 of 92 rules: 38 passed, 2 failed, 1 unclaimed; about 1m20s left`. */
function headline({ done, rules, counts }: ProgressState, leftMs: number | null): string {
  const parts = Object.entries(counts).map(([verdict, count]) => `${count} ${verdict}`)
  const left = leftMs === null || done === rules ? '' : `; about ${span(leftMs)} left`
  return `${done} of ${pluralize(rules, 'rule')}${parts.length === 0 ? '' : `: ${parts.join(', ')}`}${left}`
}

function planLine({ of, allEndMs }: LoadPlan, underWay: readonly LoadPlan[]): string {
  const n = Math.max(...underWay.map((plan) => plan.n))
  const names = underWay.map(({ name }) => name).join(', ')
  return `plan ${n} of ${of}: ${names}; the whole ends in about ${span(allEndMs - Date.now())}`
}

interface Shown {
  tell(progress: Progress): void
  end(): void
}

type TimeLeft = ReturnType<typeof createTimeLeft>

/** Shows progress on standard error: redrawn in place if possible, else as a few plain lines. */
export function showProgress(terminal: Terminal, timeLeft: TimeLeft): Shown {
  let begunMs = performance.now()
  const leftMs = () => timeLeft.after(performance.now() - begunMs)
  const { tell, end } = terminal.live ? liveProgress(terminal, leftMs) : plainProgress(terminal, leftMs)
  return {
    tell(progress) {
      if (progress.type === 'started') begunMs = performance.now()
      timeLeft.tell(progress)
      tell(progress)
    },
    end,
  }
}

/** Shows nothing. */
export const noProgress: Shown = { tell() {}, end() {} }

function liveProgress({ colors, err }: Terminal, leftMs: () => number | null): Shown {
  let state = atStart
  let toldAt = Date.now()
  const { clear, end } = redraw(() => {
    const [first = '', ...rest] = draw(state, Date.now() - toldAt, leftMs())
    return [first, ...rest.map((line) => colors.dim(line))].join('\n')
  })
  return {
    tell(progress) {
      state = advance(state, progress)
      if (progress.type === 'waiting') toldAt = Date.now()
      if (progress.type !== 'shown') return
      clear()
      for (const line of progress.lines) err(line.startsWith('  failed') ? colors.red(line) : line)
    },
    end,
  }
}

type LogUpdate = ReturnType<typeof import('log-update').createLogUpdate>

/** Lines on standard error that are drawn again in place, five times a second until their end. */
export function redraw(text: () => string): { clear(): void; end(): void } {
  let update: LogUpdate | undefined
  // It takes a tenth of a second of the processor to load, and only a terminal needs it.
  void import('log-update').then(({ createLogUpdate }) => {
    update = createLogUpdate(process.stderr)
  })
  const timer = setInterval(() => update?.(text()), 200)
  return {
    clear: () => update?.clear(),
    end() {
      clearInterval(timer)
      update?.clear()
      update?.done()
    },
  }
}

/** A log that has been silent for so long gets a line, real ms. */
const silentMs = 60_000

function plainProgress(terminal: Terminal, leftMs: () => number | null): Shown {
  let state = atStart
  let quarter = 0
  let saidMs = performance.now()
  const err = (line: string): void => {
    saidMs = performance.now()
    terminal.err(line)
  }
  return {
    tell(progress) {
      state = advance(state, progress)
      if (progress.type === 'waiting' && performance.now() >= saidMs + silentMs)
        err(draw(state, 0, leftMs(), 1).slice(0, 2).join('; ').replaceAll(/ {2,}/g, ' '))
      if (progress.type === 'started') err(`${pluralize(progress.rules, 'rule')} on the ${progress.clock} clock`)
      if (progress.type === 'plan' && !progress.isOver) err(planLine(progress, [progress]))
      if (progress.type === 'shown') for (const line of progress.lines) err(line)
      if (progress.type === 'verdict') {
        if (notable.has(progress.verdict)) err(`${progress.verdict} ${progress.rule}`)
        const reached = Math.floor((4 * progress.done) / Math.max(1, progress.total))
        if (reached > quarter) err(headline(state, leftMs()))
        quarter = Math.max(quarter, reached)
      }
    },
    end() {},
  }
}

const notable: ReadonlySet<Verdict> = new Set(['failed', 'broken'])

/** The time left, at least a second. */
function span(ms: number): string {
  return lengthOf(Math.max(1_000, ms))
}

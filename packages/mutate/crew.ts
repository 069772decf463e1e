import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Judgement } from '../../harness/run/judge.ts'
import { compareLatitude, compareReference, unchanged } from '../../proof/compare.ts'
import { inParallel } from '../../proof/pool.ts'
import { startThread, type Thread, ThreadExit } from '../../proof/threads.ts'
import type { Mutant } from './instrument.ts'

export interface ThreadData {
  /** JavaScript by the URL of the file that it stands for. */
  readonly code: ReadonlyMap<string, string>
  /** Ids of the rules to judge; null for all. */
  readonly rules: readonly string[] | null
  /** Judgements on the reference itself; null while that is judged. */
  readonly expected: readonly Judgement[] | null
}

export interface MutantTask {
  /** Of this task alone within its thread. */
  readonly name: string
  /** The id of the mutant; null for the reference itself. */
  readonly mutant: string | null
}

export interface Finding {
  /** killed: another verdict; recorded: the same verdicts with another reading. */
  readonly status: 'killed' | 'timeout' | 'recorded' | 'survived'
  /** The rule that noticed the mutant and what it saw, or how the thread ended; null for a survivor. */
  readonly by: { readonly rule: string; readonly why: string } | null
}

export interface MutantResult extends Finding {
  /** Empty if the run ended with the first verdict that differs. */
  readonly judgements: readonly Judgement[]
  /** Ids of the mutants whose code ran while modules were loaded, and while rules were judged. */
  readonly reached: { readonly atLoad: readonly string[]; readonly running: readonly string[] }
}

export interface Outcome extends Finding {
  readonly mutant: Mutant
}

/** The reference's own judgements, and the mutants that they can depend on. */
export interface Baseline {
  readonly expected: readonly Judgement[]
  /** Ids of the mutants whose code runs. */
  readonly reached: ReadonlySet<string>
  /** Those whose code runs once per process: each needs a fresh thread. */
  readonly fresh: ReadonlySet<string>
  /** Time limit for each mutant. */
  readonly limitMs: number
}

type Setup = Omit<ThreadData, 'expected'>

const leastLimitMs = 10_000
const referenceLimitMs = 120_000
const file = new URL('./judge-thread.ts', import.meta.url)

/**
 * Judges the reference twice in one thread.
 * @param limit the time limit of a mutant, in runs of the reference.
 * @throws Error if a rule does not pass, or if the two runs differ.
 */
export async function judgeReference(setup: Setup, limit: number): Promise<Baseline> {
  const thread = start({ ...setup, expected: null })
  try {
    const judged = async (name: string): Promise<MutantResult> => {
      const result = await ask(thread, { name, mutant: null }, referenceLimitMs)
      if ('judgements' in result) return result
      throw new Error(`the reference cannot be judged: ${result.by?.why}`)
    }
    const beginMs = performance.now()
    const first = await judged('first')
    const limitMs = Math.max(leastLimitMs, limit * (performance.now() - beginMs))
    const second = await judged('second')
    const [failed] = compareReference(first.judgements)
    if (failed !== undefined) throw new Error(`${failed.rule} is ${failed.seen} on the reference: ${failed.reason}`)
    if (compareLatitude(unchanged, second.judgements, first.judgements, { rules: [] }).length > 0) {
      throw new Error('two runs of the reference differ in a verdict or reading')
    }
    const again = new Set(second.reached.running)
    return {
      expected: first.judgements,
      reached: new Set([...first.reached.atLoad, ...first.reached.running]),
      fresh: new Set([...first.reached.atLoad, ...first.reached.running.filter((id) => !again.has(id))]),
      limitMs,
    }
  } finally {
    await thread.end()
  }
}

/** Judges the mutants, as many at a time as there are processors; returns the outcomes in the order of the mutants. */
export async function judgeMutants(
  mutants: readonly Mutant[],
  setup: Setup,
  { expected, fresh, limitMs }: Baseline,
  done: (outcome: Outcome) => void = () => {},
): Promise<Outcome[]> {
  const threads = new Map<number, Thread<MutantTask, MutantResult>>()
  async function end(lane: number): Promise<void> {
    await threads.get(lane)?.end()
    threads.delete(lane)
  }
  const outcomes = await inParallel(mutants, availableParallelism(), async (mutant, lane) => {
    if (fresh.has(mutant.id)) await end(lane)
    const thread = threads.get(lane) ?? start({ ...setup, expected })
    threads.set(lane, thread)
    const { status, by } = await ask(thread, { name: mutant.id, mutant: mutant.id }, limitMs)
    // A thread is used again while mutants survive in it: it has then just given every verdict of the reference.
    if (status !== 'survived' || fresh.has(mutant.id)) await end(lane)
    const outcome = { mutant, status, by }
    done(outcome)
    return outcome
  })
  await Promise.all([...threads.keys()].map(end))
  return outcomes
}

function start(data: ThreadData): Thread<MutantTask, MutantResult> {
  return startThread(file, { workerData: data, resourceLimits: { maxOldGenerationSizeMb: 1024 } })
}

async function ask(
  thread: Thread<MutantTask, MutantResult>,
  task: MutantTask,
  limitMs: number,
): Promise<MutantResult | Finding> {
  const answered = new AbortController()
  const { signal } = answered
  try {
    return await Promise.race([
      thread.ask(task),
      sleep(limitMs, ended('timeout', `not done after ${limitMs / 1000} s`), { signal }),
    ])
  } catch (error) {
    if (error instanceof ThreadExit) return ended('timeout', error.message)
    return ended('killed', `the thread crashed: ${error instanceof Error ? error.message : String(error)}`)
  } finally {
    answered.abort()
  }
}

function ended(status: Finding['status'], why: string): Finding {
  return { status, by: { rule: '', why } }
}

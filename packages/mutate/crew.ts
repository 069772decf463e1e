import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { Mutant } from './instrument.ts'

/** The result of a rule, as far as mutants are compared by it. */
export interface Seen {
  readonly rule: string
  readonly verdict: string
  /** As JSON. */
  readonly readings: string
  /** The clause that failed and its observation, or the reason of the verdict. */
  readonly why: string
}

export interface ThreadData {
  /** JavaScript by the URL of the file that it stands for. */
  readonly code: ReadonlyMap<string, string>
  /** Ids of the rules to judge; null for all. */
  readonly rules: readonly string[] | null
  /** By rule, on the reference itself; null while that is judged. */
  readonly expected: ReadonlyMap<string, Seen> | null
}

export interface Order {
  /** Of this order alone within its thread. */
  readonly name: string
  /** The id of the mutant; null for the reference itself. */
  readonly mutant: string | null
}

interface Finding {
  /** killed: another verdict; recorded: the same verdicts with another reading. */
  readonly status: 'killed' | 'timeout' | 'recorded' | 'survived'
  /** The rule that noticed the mutant and what it saw, or how the thread ended; null for a survivor. */
  readonly by: Pick<Seen, 'rule' | 'why'> | null
}

export interface Reply extends Finding {
  /** Empty if the run ended with the first verdict that differs. */
  readonly seen: readonly Seen[]
  /** Ids of the mutants whose code ran while modules were loaded, and while rules were judged. */
  readonly reached: { readonly atLoad: readonly string[]; readonly running: readonly string[] }
}

export interface Outcome extends Finding {
  readonly mutant: Mutant
}

/** The reference's own verdicts, and the mutants that they can depend on. */
export interface Baseline {
  readonly expected: ReadonlyMap<string, Seen>
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
/** How long a thread has to exit before it is terminated, ms. */
const exitMs = 1_000
const file = new URL('./judge-thread.ts', import.meta.url)

/**
 * Judges the reference twice in one thread.
 * @param limit the time limit of a mutant, in runs of the reference.
 * @throws Error if a rule does not pass, or if the two runs differ.
 */
export async function judgeReference(setup: Setup, limit: number): Promise<Baseline> {
  const thread = start({ ...setup, expected: null })
  try {
    const judged = async (name: string): Promise<Reply> => {
      const reply = await ask(thread, { name, mutant: null }, referenceLimitMs)
      if ('seen' in reply) return reply
      throw new Error(`the reference cannot be judged: ${reply.by?.why}`)
    }
    const beginMs = performance.now()
    const first = await judged('first')
    const limitMs = Math.max(leastLimitMs, limit * (performance.now() - beginMs))
    const second = await judged('second')
    const failed = first.seen.find(({ verdict }) => verdict !== 'passed' && verdict !== 'observed')
    if (failed !== undefined) throw new Error(`${failed.rule} is ${failed.verdict} on the reference: ${failed.why}`)
    if (JSON.stringify(first.seen) !== JSON.stringify(second.seen)) {
      throw new Error('two runs of the reference differ in a verdict or reading')
    }
    const again = new Set(second.reached.running)
    return {
      expected: new Map(first.seen.map((seen) => [seen.rule, seen])),
      reached: new Set([...first.reached.atLoad, ...first.reached.running]),
      fresh: new Set([...first.reached.atLoad, ...first.reached.running.filter((id) => !again.has(id))]),
      limitMs,
    }
  } finally {
    await finish(thread)
  }
}

/** Judges the mutants, as many at a time as there are processors; returns the outcomes in the order of the mutants. */
export async function judgeMutants(
  mutants: readonly Mutant[],
  setup: Setup,
  { expected, fresh, limitMs }: Baseline,
  done: (outcome: Outcome) => void = () => {},
): Promise<Outcome[]> {
  const outcomes: Outcome[] = new Array(mutants.length)
  const queue = mutants.entries()

  /** A thread is used again while mutants survive in it: it has then just given every verdict of the reference. */
  async function lane(): Promise<void> {
    let thread: Worker | null = null
    const end = async () => {
      if (thread !== null) await finish(thread)
      thread = null
    }
    for (const [place, mutant] of queue) {
      if (fresh.has(mutant.id)) await end()
      thread ??= start({ ...setup, expected })
      const { status, by } = await ask(thread, { name: mutant.id, mutant: mutant.id }, limitMs)
      if (status !== 'survived' || fresh.has(mutant.id)) await end()
      outcomes[place] = { mutant, status, by }
      done(outcomes[place])
    }
    await end()
  }

  await Promise.all(Array.from({ length: availableParallelism() }, lane))
  return outcomes
}

function start(data: ThreadData): Worker {
  return new Worker(file, { workerData: data, resourceLimits: { maxOldGenerationSizeMb: 1024 } })
}

/** Lets a thread exit by itself: Node may abort the whole process if it is terminated while it begins to compress. */
async function finish(thread: Worker): Promise<void> {
  if (thread.threadId !== -1) {
    thread.postMessage(null)
    await Promise.race([once(thread, 'exit').catch(() => {}), sleep(exitMs)])
  }
  await thread.terminate()
}

async function ask(thread: Worker, order: Order, limitMs: number): Promise<Reply | Finding> {
  const end = new AbortController()
  const { signal } = end
  thread.postMessage(order)
  try {
    return await Promise.race([
      once(thread, 'message', { signal }).then(([reply]) => reply as Reply),
      once(thread, 'exit', { signal }).then(() => ended('timeout', 'every rule waits for something that never comes')),
      sleep(limitMs, ended('timeout', `not done after ${limitMs / 1000} s`), { signal }),
    ])
  } catch (error) {
    return ended('killed', `the thread crashed: ${error instanceof Error ? error.message : String(error)}`)
  } finally {
    end.abort()
  }
}

function ended(status: Finding['status'], why: string): Finding {
  return { status, by: { rule: '', why } }
}

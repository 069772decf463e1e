import type { Actor } from '../clock/types.ts'
import { allPlanes } from '../planes/index.ts'
import type { Foundation } from '../planes/plane.ts'
import { Blamed, Blocked, contrastText, Inconclusive } from '../rule/outcome.ts'
import type { Judgement } from './judge.ts'
import type { Knowledge } from './knowledge.ts'

/** Knowledge of the foundations of all planes. */
export type Foundations = ReturnType<typeof createFoundations>

interface State {
  /** True once it was seen to work: a later failure is one of single requests. */
  holds: boolean
  /** Ends the rules that build on it; null unless its rule has failed. */
  failure: Blocked | null
  /** The observation of its rule at that time. */
  observed: string | null
  /** Resolves once it holds, or its rule has a verdict. */
  readonly known: Promise<void>
  readonly decide: () => void
  /** Resolves once its rule has a verdict. */
  readonly verdict: Promise<void>
  readonly end: () => void
}

/** `isRunning`: true for a rule that has begun and has no verdict yet. */
export function createFoundations(knowledge: Knowledge, isRunning: (rule: string) => boolean) {
  const states = new Map(allPlanes().flatMap(({ foundations = [] }) => foundations.map((one) => [one, newState()])))

  /**
   * Resolves once it is known whether it holds; null if it is, or no rule is about to tell. Wait for it before anything that
   * times count from. `isFailing`: it does not work for the owner, so the verdict of its rule is awaited.
   */
  function pending(
    owner: string,
    actor: Pick<Actor, 'join'>,
    foundation: Foundation,
    isFailing = false,
  ): Promise<void> | null {
    const state = states.get(foundation)
    if (state === undefined || knowledge.isReplayed || owner === foundation.rule) return null
    // A rule that has not begun may wait for what this owner keeps.
    if ((state.holds && !isFailing) || !isRunning(foundation.rule)) return null
    return actor.join(isFailing ? state.verdict : state.known)
  }

  return {
    /** It was seen to work. */
    holds(foundation: Foundation): void {
      const state = states.get(foundation)
      if (state === undefined) return
      state.holds = true
      state.decide()
    },
    pending,
    /**
     * Throws Blocked if its rule has failed, and it was never seen to work. If it was, its rule must have observed the same
     * as the owner, if that is given.
     */
    rely(owner: string, foundation: Foundation, observed?: string): void {
      const state = states.get(foundation)
      if (state === undefined || owner === foundation.rule) return
      knowledge.decide(owner, () => (state.holds && state.observed !== observed ? null : state.failure))
    },
    /** The failure of the first of these that has failed, once those that are being judged have their verdicts; null if none has. */
    async failureOf(
      owner: string,
      actor: Pick<Actor, 'join'>,
      foundations: readonly Foundation[],
    ): Promise<Blocked | null> {
      // Others wait for this owner itself, maybe one of those rules.
      const isAwaited = [...states].some(([{ rule }, { holds }]) => rule === owner && !holds)
      for (const foundation of foundations) {
        if (!isAwaited) await pending(owner, actor, foundation, true)
        const failure = owner === foundation.rule ? null : states.get(foundation)?.failure
        if (failure != null) return failure
      }
      return null
    },
    /**
     * The end of an owner, as the run knows it once the owner sends nothing more. If a foundation did not work for it: blocked by
     * its rule if that has failed or it was never seen to work, else by the rule that judges whether it goes on working. Without
     * such a rule it is inconclusive.
     */
    async settled(owner: string, actor: Pick<Actor, 'join'>, end: unknown): Promise<unknown> {
      if (!(end instanceof Blamed)) return end
      const { by, later, message } = end
      const [foundation, state] = [...states].find(([{ rule }]) => rule === by) ?? []
      if (foundation === undefined || state === undefined) return end
      await pending(owner, actor, foundation, true)
      try {
        knowledge.decide(owner, () => {
          if (!state.holds || state.failure !== null) return new Blocked(by, message)
          return later === null ? new Inconclusive(message) : new Blocked(later, message)
        })
      } catch (decided) {
        return decided
      }
      return end
    },
    /** Takes the verdict of a rule. */
    judged({ rule, findings }: Pick<Judgement, 'rule' | 'findings'>): void {
      for (const [foundation, state] of states) {
        if (foundation.rule !== rule) continue
        const finding = findings.find(({ clause }) => foundation.clauses.includes(clause))
        if (finding !== undefined) {
          state.failure = new Blocked(rule, contrastText(finding))
          state.observed = finding.observed
        }
        state.decide()
        state.end()
      }
    },
  }
}

function newState(): State {
  const { promise: known, resolve: decide } = Promise.withResolvers<void>()
  const { promise: verdict, resolve: end } = Promise.withResolvers<void>()
  return { holds: false, failure: null, observed: null, known, decide, verdict, end }
}

import type { Exchange } from '../harness/exchange/exchange.ts'
import { noRecorder } from '../harness/record/recorder.ts'
import type { Rule } from '../harness/rule/registry.ts'
import { type Connected, connectHere } from '../harness/run/connect.ts'
import type { Judgement } from '../harness/run/judge.ts'
import { createSession } from '../harness/run/session.ts'
import type { Values } from '../harness/variation/dimensions.ts'
import { createInstance } from './instance.ts'
import type { Variant } from './types.ts'

/** Makes an instance of the reference with these variants, and connects to it. */
export type Connect = (variants: readonly Variant[]) => Promise<Connected>

interface JudgeOptions {
  readonly variants: readonly Variant[]
  /** Default: an instance in this process. */
  readonly connect?: Connect | undefined
  readonly rules: readonly Rule[]
  readonly seed?: number
  /** Values of some dimensions, in place of those that the seed draws; every other one has its plain value. */
  readonly given?: Values | undefined
  /** Rules do as on a real clock, though time passes as fast as on a controlled one. */
  readonly asReal?: boolean
  /** As `asReal`, and the run draws what it can to save requests. */
  readonly isSparing?: boolean
  /** Told of each exchange at its end. */
  readonly exchanged?: (exchange: Exchange) => void
  /** Called with the judgement of each scenario as soon as it is known. */
  readonly judged?: (judgement: Judgement) => void
  /** Told when a rule gives back its workers before it ends. */
  readonly workersFreed?: (rule: string) => void
}

/** Judges rules on an instance of their own: another target, clock and session for each call. */
export async function judgeOn(options: JudgeOptions): Promise<Judgement[]> {
  const {
    variants,
    connect = here,
    rules,
    seed = 1,
    given,
    isSparing = false,
    asReal = isSparing,
    ...callbacks
  } = options
  const { target, transport, clockOf, listener, close } = await connect(variants)
  const clock = await clockOf({})
  const session = createSession({
    runId: 'rproof00000',
    version: '0.0.0',
    seed,
    ...(given === undefined ? {} : { given }),
    isSparing,
    target: asReal ? { ...target, clock: 'real' } : target,
    transport,
    clock: asReal ? { ...clock, controlled: false } : clock,
    recorder: callbacks.exchanged === undefined ? noRecorder : { ...noRecorder, exchange: callbacks.exchanged },
    resources() {},
    rules,
    wallNow: () => 0,
    listener,
    ...(callbacks.workersFreed === undefined ? {} : { workersFreed: callbacks.workersFreed }),
  })
  try {
    const scenarios = await Promise.all(
      session.scenarios.map(async ({ judge }) => {
        const judgement = await judge()
        callbacks.judged?.(judgement)
        return judgement
      }),
    )
    return [...scenarios, ...(await session.finish())]
  } finally {
    clock.close()
    await close()
  }
}

const here: Connect = (variants) => connectHere(createInstance(variants))

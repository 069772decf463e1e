import fc from 'fast-check'

/** A model of what is walked on; it counts how many steps are left. */
export interface StepModel {
  left: number
}

/** Takes a step on the target, and changes the model. */
export interface StepTaker<S, M> {
  takeStep(step: S, model: M): Promise<void>
}

/** Steps to draw from, and those of them that make sense in a state. */
export interface StepKinds<S, M> {
  readonly anyStep: fc.Arbitrary<S>
  isPossible(step: S, model: Readonly<M>): boolean
}

/** A step as fast-check takes it: on the model, which tells if it makes sense, and on the target. */
export class StepCommand<S, M extends StepModel> implements fc.AsyncCommand<M, StepTaker<S, M>> {
  readonly step: S
  readonly isPossible: StepKinds<S, M>['isPossible']

  constructor(step: S, isPossible: StepKinds<S, M>['isPossible']) {
    this.step = step
    this.isPossible = isPossible
  }

  check(model: Readonly<M>): boolean {
    return model.left > 0 && this.isPossible(this.step, model)
  }

  async run(model: M, taker: StepTaker<S, M>): Promise<void> {
    model.left--
    await taker.takeStep(this.step, model)
  }

  toString(): string {
    return JSON.stringify(this.step)
  }
}

/** Walks of up to this many steps, of which those are taken that make sense. `replayPath`: the steps of a simpler walk. */
export function walksOf<S, M extends StepModel>(kinds: StepKinds<S, M>, maxSteps: number, replayPath?: string) {
  const command = kinds.anyStep.map((step) => new StepCommand<S, M>(step, kinds.isPossible))
  return fc.commands<M, StepTaker<S, M>, false>([command], {
    maxCommands: maxSteps,
    size: 'max',
    ...(replayPath === undefined ? {} : { replayPath }),
  })
}

/** Takes the steps of a walk, one after the other, after those that were taken. Rejects as a rule does. */
export async function takeSteps<M extends object, T extends object>(
  walk: Iterable<fc.AsyncCommand<M, T>>,
  model: M,
  taker: T,
): Promise<void> {
  await fc.asyncModelRun(() => ({ model, real: taker }), walk)
}

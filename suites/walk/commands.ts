import fc from 'fast-check'
import type { WalkModel } from './model.ts'
import { anyStep, isPossible, type Step, type World } from './steps.ts'
import type { Walker } from './walker.ts'

/** A step as fast-check takes it: on the model, which tells if it makes sense, and on the target. */
export class StepCommand implements fc.AsyncCommand<WalkModel, Walker> {
  readonly step: Step
  readonly world: World

  constructor(step: Step, world: World) {
    this.step = step
    this.world = world
  }

  check(model: Readonly<WalkModel>): boolean {
    return model.left > 0 && isPossible(this.step, model, this.world)
  }

  async run(model: WalkModel, walker: Walker): Promise<void> {
    model.left--
    await walker.takeStep(this.step, model)
  }

  toString(): string {
    return JSON.stringify(this.step)
  }
}

/** Walks of up to this many steps, of which those are taken that make sense. `replayPath`: the steps of a simpler walk. */
export function walksIn(world: World, maxSteps: number, replayPath?: string) {
  const command = anyStep.map((step) => new StepCommand(step, world))
  return fc.commands([command], {
    maxCommands: maxSteps,
    size: 'max',
    ...(replayPath === undefined ? {} : { replayPath }),
  })
}

/** Steps that were taken before, as they are. */
export function commandsOf(steps: readonly Step[]): StepCommand[] {
  return steps.map((step) => new StepCommand(step, everything))
}

const everything: World = { maxPods: Number.POSITIVE_INFINITY, canChange: true, hasStranger: true }

/** Takes the steps of a walk, one after the other, after those that were taken. Rejects as a rule does. */
export async function takeSteps(
  walk: Iterable<fc.AsyncCommand<WalkModel, Walker>>,
  model: WalkModel,
  walker: Walker,
): Promise<void> {
  await fc.asyncModelRun(() => ({ model, real: walker }), walk)
}

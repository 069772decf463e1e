import { planeOf } from '../../harness/planes/pods/fixtures/pod-body.ts'
import { mountStates } from '../shared/patching.ts'
import { isAlive, startModel, type WalkModel } from './model.ts'
import { podSteps, type Step } from './steps.ts'
import type { WalkPlane } from './walk.ts'
import { createWalker } from './walker.ts'

/** Steps of a walk. */
const maxSteps = 30
const maxPods = 3

/** Walks on pods of all kinds. */
export const podWalks: WalkPlane<Step, WalkModel> = {
  name: 'pods',
  rule: 'pods.walk',
  drawn: 60,
  stepsOn: ({ offers, target }) =>
    podSteps({ maxPods, canChange: planeOf(target).change !== null, hasStranger: offers('key.stranger') }),
  startOf(run, { offers }) {
    const shapes = mountStates({ part: offers })
    return (context, calls) => {
      const model = startModel(maxSteps)
      const walker = createWalker(context, { shapes, calls })
      return {
        model,
        begin: () => walker.begin(run, model),
        takeStep: walker.takeStep,
        end: () => walker.end(model),
        async remove(outcomeOf) {
          await walker.unlock(model)
          for (const pod of model.pods) if (isAlive(pod)) await outcomeOf(() => context.pods.delete(pod.id))
        },
      }
    }
  },
}

import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { draw } from '../fuzz/cases.ts'
import { oneWorker } from '../shared/full-endpoint.ts'
import { takeSteps, walksOf } from '../walk/commands.ts'
import type { JobsModel } from '../walk/jobs/model.ts'
import { jobSteps } from '../walk/jobs/steps.ts'
import { createJobWalker } from '../walk/jobs/walker.ts'

/** Parts of the walk, each of so many steps. A sparing run takes one. */
const parts = ['1', '2', '3', '4', '5'] as const
const steps = 10
/** Steps that are drawn at once, of which those are taken that make sense. */
const drawnAtOnce = 40
/** The number of the first list of steps: with it the walk of seed 1, which the proof takes, has many kinds of steps. */
const firstList = 74

rule(
  'queue.walk',
  { exclusive: ['dedicated'], workers: oneWorker, varies: ['input', 'part', 'look'] },
  async (context) => {
    const { begun, fixture, random, vary } = context
    await begun(await fixture.plain({ steps: [{ output: 1 }] }))
    const model: JobsModel = { jobs: [], left: vary.parts(parts).length * steps, waitsLeft: 1, purgesLeft: 2 }
    const walks = walksOf(jobSteps(worldOf(context)), drawnAtOnce)
    const walker = createJobWalker(context)
    const seed = Math.floor(random() * 2 ** 31)
    for (let run = firstList; model.left > 0; run++) await takeSteps(draw(walks, seed, run).value, model, walker)
    await walker.end(model)
  },
)

function worldOf({ part }: Context) {
  return { maxNormal: 1, hasDedicated: part('endpoint.dedicated'), canStream: part('stream') }
}

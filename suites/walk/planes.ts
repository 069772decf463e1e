import type { Context } from '../../harness/rule/context.ts'
import type { CampaignOptions } from '../fuzz/campaign.ts'
import { walkAt, walkCampaign } from './campaign.ts'
import type { StepModel } from './commands.ts'
import { jobWalks } from './jobs/plane.ts'
import { podWalks } from './pods.ts'
import type { WalkPlane } from './walk.ts'

/** The planes on which walks are taken. */
export const walkPlanes = { pods: walksOn(podWalks), queue: walksOn(jobWalks) }

export type WalkPlaneName = keyof typeof walkPlanes

function walksOn<S, M extends StepModel>(plane: WalkPlane<S, M>) {
  return {
    rule: plane.rule,
    campaign: (context: Context, options: CampaignOptions) => walkCampaign(plane, context, options),
    walkAt: (context: Context, what: Parameters<typeof walkAt>[2]) => walkAt(plane, context, what),
  }
}

import type { Context } from '../../harness/rule/context.ts'
import type { CampaignOptions } from '../fuzz/campaign.ts'
import type { Steps } from '../fuzz/steps.ts'
import type { StepModel } from './commands.ts'
import { createWalkKeeper } from './findings.ts'
import { search, type WrongWalk } from './search.ts'
import type { Walked, WalkPlane } from './walk.ts'

/** Takes walks until `goesOn` says no, past every finding. Each is made as simple as fast-check can, and kept once. */
export async function walkCampaign<S, M extends StepModel>(
  plane: WalkPlane<S, M>,
  context: Context,
  options: CampaignOptions,
): Promise<void> {
  const { came, cut, goesOn, log, onCase, outcomeOf, seed } = options
  const keeper = createWalkKeeper(options.findings, seed)
  const addNote = (text: string, path: string) => log.notes.add(`walk: ${text} (--seed ${seed} --path ${path})`)
  for (let run = 0; goesOn(); run++) {
    const late: (() => void)[] = []
    const isKnown = (wrong: WrongWalk) => {
      if (keeper.isKnown(wrong)) return true
      const note = () => addNote(`${wrong.observed}, and the run ended before it came again: no finding`, `${run}`)
      if (late.push(note) === 1) log.undecided.add(note)
      return false
    }
    const { first, least, path } = await search(plane, context, { seed, run, outcomeOf, cut, isKnown })
    const failure = first?.failure ?? null
    if (failure !== null) addNote(failure.reason ?? failure.failure, `${run}`)
    const again = least === null ? null : await walkAt(plane, context, { outcomeOf, seed, path })
    if (least !== null && again?.observed === least.observed) keeper.keep(least, path)
    else if (least !== null)
      addNote(
        `${least.observed} came, and not again on new ${plane.name === 'pods' ? 'pods' : 'jobs'}: no finding`,
        path,
      )
    for (const note of late) log.undecided.delete(note)
    onCase(true)
    came(failure)
  }
}

/** The walk of a seed and path, on new pods or jobs; null if the seed draws no such walk. */
export async function walkAt<S, M extends StepModel>(
  plane: WalkPlane<S, M>,
  context: Context,
  { outcomeOf, seed, path }: Pick<Steps, 'outcomeOf' | 'seed'> & { readonly path: string },
): Promise<Walked | null> {
  const [, run, simpler = '', replayPath] = /^(\d+)((?::\d+)*)(?:@(.+))?$/.exec(path) ?? []
  if (run === undefined) return null
  const only = { simpler, ...(replayPath === undefined ? {} : { replayPath }) }
  return (await search(plane, context, { seed, run: Number(run), outcomeOf, only })).first
}

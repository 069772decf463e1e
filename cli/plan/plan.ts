import { lengthOf } from '../../harness/common/length.ts'
import { planeOfRule } from '../../harness/planes/index.ts'
import { exitCodes } from '../../verdicts/exit-codes.ts'
import { refusalBefore } from '../shared/ask.ts'
import { UsageError } from '../shared/errors.ts'
import type * as commands from '../shared/options.ts'
import { refuseFaultyClock, refuseStandingClock } from '../shared/run/clocks.ts'
import { planOf } from '../shared/run/plan.ts'
import { selectionOf } from '../shared/run/selection.ts'
import { readTarget, withTarget } from '../shared/target.ts'
import type { Terminal } from '../shared/terminal.ts'

type Options = commands.OptionsOf<typeof commands.plan>

/** Shows how long a run takes, its critical path, and the rules that a budget leaves out. Asks only for quotas. */
export async function plan(given: Options, terminal: Terminal): Promise<number> {
  const options = withTarget(given, terminal)
  const target = options.target === undefined ? null : await readTarget(options.target, terminal)
  const { selected } = await selectionOf(options, target, terminal)
  if (target !== null) {
    const planes = new Set(selected.map((id) => planeOfRule(id).name))
    const refusal = await refusalBefore(target, (plane) => planes.has(plane), 'plan', terminal.err)
    // A target that is not running yet is planned without its quotas.
    if (refusal !== null && refusal.exit !== exitCodes.unreachable) throw new UsageError(refusal.message)
    await refuseStandingClock(target)
    await refuseFaultyClock(target)
  }
  const { plan: planned, lines } = await planOf(target, selected, options, 'listed below')
  for (const line of lines) terminal.out(line)
  const path = planned.bound === 'rules' ? planned.path.filter(({ fromMs, toMs }) => toMs - fromMs >= 1_000) : []
  if (path.length > 0) terminal.out('critical path:')
  for (const { rule, fromMs, toMs } of path) {
    terminal.out(`  ${lengthOf(fromMs)} to ${lengthOf(toMs)}: ${rule}`)
  }
  for (const { rule, reason } of planned.leftOut) terminal.out(`${rule}: ${reason}`)
  return 0
}

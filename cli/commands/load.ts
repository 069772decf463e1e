import type { Target } from '../../target/types.ts'
import { conduct } from '../conduct.ts'
import { UsageError } from '../errors.ts'
import { prepareLoad } from '../load/prepare.ts'
import { tellSmoke } from '../load/smoke.ts'
import type * as commands from '../options.ts'
import { openOutput } from '../record.ts'
import { type LoadKind, selectLoad } from '../selection.ts'
import { refuseStandingClock } from '../standing-clock.ts'
import { readTarget } from '../target.ts'
import type { Terminal } from '../terminal.ts'

type Options = commands.OptionsOf<typeof commands.load>

/** Runs the rules of load alone: those of a plane, or one request of each operation. Returns the exit code. */
export async function load(kind: LoadKind, options: Options, terminal: Terminal): Promise<number> {
  const { out, quiet } = options
  const target = await readTarget(options.target, terminal)
  refuseNothing(kind, target)
  const { profiles, selected } = selectLoad(kind, options)
  await refuseStandingClock(target)
  // A k6 may have to be built first: a folder that cannot be written is refused before that.
  if (out !== undefined) openOutput(terminal.cwd, out)
  const { options: load, estimate } = await prepareLoad(selected, target, options, terminal, kind === 'smoke')
  return conduct({
    plan: { seed: null, profiles, strict: false, keep: false, rules: selected, load },
    target,
    targetFile: options.target,
    out,
    quiet,
    estimate,
    terminal,
    ...(kind === 'smoke' && { tellRecord: (folder) => tellSmoke(folder, terminal) }),
  })
}

function refuseNothing(kind: LoadKind, { pods, queue }: Target): void {
  if (kind === 'pods') {
    if (pods === null) throw new UsageError('the target file has no pod API; add pods: https://HOST')
    return
  }
  if (queue === null) {
    throw new UsageError('the target file has no queue-based endpoints; add queue: {url, endpoints}')
  }
  if (queue.endpoints.dedicated !== null) return
  throw new UsageError(
    'load floods and purges an endpoint, and the target file marks none for that; add queue: {endpoints: {dedicated: ENDPOINT_ID}}',
  )
}

import { resolve } from 'node:path'
import type { Target } from '../../target/types.ts'
import { digestsOf } from '../digests.ts'
import { UsageError } from '../errors.ts'
import { version } from '../home.ts'
import { type LoadFlags, prepareLoad, refuseFullDisk } from '../load/prepare.ts'
import { type LoadKind, selectLoad } from '../load/select.ts'
import { tellSmoke } from '../load/smoke.ts'
import { openOutput } from '../record.ts'
import { newRunId } from '../run-id.ts'
import { resourcesFile } from '../runs.ts'
import { refuseStandingClock } from '../standing-clock.ts'
import { readTarget } from '../target.ts'
import type { Terminal } from '../terminal.ts'
import { conduct, inFolder } from './check.ts'

export interface LoadOptions extends LoadFlags {
  readonly target: string
  readonly out?: string
  readonly only: readonly string[]
  readonly profile?: string
}

/** Runs the rules of load alone: those of a plane, or one request of each operation. Returns the exit code. */
export async function load(kind: LoadKind, options: LoadOptions, terminal: Terminal): Promise<number> {
  const { out, quiet } = options
  const target = await readTarget(options.target, terminal)
  refuseNothing(kind, target)
  const { profiles, selected } = selectLoad(kind, options)
  await refuseStandingClock(target)
  // A k6 may have to be built first: a folder that cannot be written is refused before that.
  if (out !== undefined) openOutput(terminal.cwd, out)
  const { options: load, estimate } = await prepareLoad(selected, target, options, terminal, kind === 'smoke')
  const run = newRunId()
  return inFolder(out, terminal.cwd, (evidence) => {
    refuseFullDisk(evidence, estimate)
    return conduct({
      plan: {
        run,
        plumbline: version(),
        seed: null,
        startedMs: Date.now(),
        profiles,
        strict: false,
        keep: false,
        rules: selected,
        load,
        target,
        targetFile: options.target,
        embed: null,
        digests: digestsOf(target),
        evidence,
        resources: resourcesFile(terminal.cwd, run),
      },
      file: resolve(terminal.cwd, options.target),
      options: { keep: false, quiet, ...(out !== undefined && { out }) },
      terminal,
      ...(kind === 'smoke' && { tellRecord: (folder) => tellSmoke(folder, terminal) }),
    })
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

import { allPlanes, sectionOf } from '../../harness/planes/index.ts'
import type { Target } from '../../target/types.ts'
import { UsageError } from '../errors.ts'
import { loadQueue } from '../load/limits.ts'
import { refuseUnowned } from '../load/owned.ts'
import { loadPods } from '../load/pods.ts'
import type { LoadKind } from '../load/select.ts'
import type { LoadOptions } from '../load/session.ts'
import { withOutput } from '../lock.ts'
import { isLoopback } from '../loopback.ts'
import { openOutput } from '../record.ts'
import { refuseStandingClock } from '../standing-clock.ts'
import { readTarget } from '../target.ts'
import type { Terminal } from '../terminal.ts'

/** Drives load against a target through k6 and judges its limits. Returns the exit code. */
export async function load(kind: LoadKind, options: LoadOptions, terminal: Terminal): Promise<number> {
  const target = await readTarget(options.target, terminal)
  const plane = allPlanes().find(({ load }) => load === (kind === 'smoke' ? 'limits' : kind))
  const url = plane === undefined ? undefined : sectionOf(target, plane.name)?.url
  refuseUnowned(url === undefined ? [] : [url], options.iOwnThis)
  refuseOtherTime(target, url, options.windowScale)
  // k6 may have to be built first, so paths that cannot be written are refused before that.
  return withOutput(terminal.cwd, options.out, async () => {
    if (options.out !== undefined) openOutput(terminal.cwd, options.out)
    await refuseStandingClock(target)
    if (kind === 'pods') return loadPods(options, target, terminal)
    return loadQueue(kind, options, target, terminal)
  })
}

/** k6 knows only real time, and only a local reference has windows of another length. */
function refuseOtherTime({ clock }: Target, url: string | undefined, windowScale: number): void {
  if (clock !== 'real') {
    throw new UsageError(
      'load runs in real time, but the target file has a controlled clock; serve the target with --clock real',
    )
  }
  if (windowScale !== 1 && url !== undefined && !isLoopback(new URL(url).hostname)) {
    throw new UsageError(
      '--window-scale is only for a reference on this machine; other targets have the documented rates',
    )
  }
}

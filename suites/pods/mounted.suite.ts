import { isSuccess } from '../../harness/exchange/exchange.ts'
import { type Members, membersOf, type PodView, textIn } from '../../harness/exchange/read.ts'
import type { PodShape } from '../../harness/planes/pods/fixtures/types.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { mountedStates, mountsMoved } from '../shared/patching.ts'
import { startPod, stopPod } from './answers.ts'
import { fileIn, inAnotherStart, probedPod, type Report, restart, writeFile } from './probe.ts'

rule('pods.mount.mounted', { each: mountedStates, varies: ['branch'] }, async (context, shape: PodShape) => {
  const { check, fixture, nextName } = context
  const path = `${pathIn(fixture.mounts(shape.mount ?? 'none'))}/${nextName()}`
  const mounted = await probedPod(context, shape)
  const isWritten = await writeFile(context, mounted, path, 'plumbline')
  check('mounted').that(isWritten, 'a file that was written to the path', 'no file', mounted.response)
  const restarted = await inAnotherStart(context, await restart(context, mounted.pod), mounted)
  await expectKept(context, 'restart', path, restarted, mounted.pod)
  await stopPod(context, mounted.pod.id)
  const started = await inAnotherStart(context, await startPod(context, mounted.pod), restarted ?? mounted)
  await expectKept(context, 'start', path, started, mounted.pod)
  await removeFile(context, started, path)
})

rule(
  'pods.mount.path-applies',
  { each: mountedStates, varies: ['branch', 'patchedWhile'] },
  async (context, shape: PodShape) => {
    const { blocked, fixture, nextName, pods, vary } = context
    const { mount = 'none' } = shape
    const name = nextName()
    const before = await probedPod(context, shape)
    const { id } = before.pod
    const isWritten = await writeFile(context, before, `${pathIn(fixture.mounts(mount))}/${name}`, 'plumbline')
    if (!isWritten) blocked('pods.mount.mounted', 'the probe cannot write to the mount')
    const mounts = mountsMoved(context, mount)
    const patch = async () => isSuccess((await pods.patch(id, { mounts })).status)
    const isPatched = vary.draw('patchedWhile') === 'RUNNING' && (await patch())
    await stopPod(context, id)
    if (!isPatched && !(await patch()))
      blocked(`pods.patch.${mount === 'network' ? 'network' : 'persistent'}-path`, 'PATCH refuses another path')
    const after = await inAnotherStart(context, await startPod(context, before.pod), before)
    const path = `${pathIn(mounts)}/${name}`
    await expectKept(context, 'applies', path, after, before.pod)
    await removeFile(context, after, path)
  },
)

/** The path of a mount, without a slash at its end. */
function pathIn({ network, persistent }: Members): string {
  const mount = Array.isArray(network) ? network[0] : persistent
  return textIn(membersOf(mount)?.path).replace(/\/+$/, '')
}

/** The file is there in another start of the container. */
async function expectKept(
  context: Context,
  clause: string,
  path: string,
  report: Report | null,
  pod: PodView,
): Promise<void> {
  const check = context.check(clause)
  if (report === null) return check.that(false, 'another start of the container', 'the same, or no response', pod)
  const { response, text } = await fileIn(context, report, path)
  check.that(
    text === 'plumbline',
    'the file that was written before',
    text === null ? 'no file' : 'another file',
    response,
  )
}

/** Leaves nothing behind on a volume, which outlives the pod. */
async function removeFile({ on }: Context, report: Report | null, path: string): Promise<void> {
  if (report !== null) await on('probe').removeFile(report.at, path)
}

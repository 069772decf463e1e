import type { Document } from 'yaml'
import { jsonOf } from '../../harness/exchange/exchange.ts'
import { planeNamed } from '../../harness/planes/index.ts'
import { cpuFrom } from '../../harness/planes/pods/fixtures/pod-body.ts'
import { Blocked, contrastText } from '../../harness/rule/outcome.ts'
import { TransportFailure } from '../../harness/transport/types.ts'
import type { PodSection, Target } from '../../target/types.ts'
import { addComment } from '../shared/additions.ts'
import { asking } from '../shared/ask.ts'
import { resultsOf } from '../shared/record.ts'
import { openReports, runCheck } from '../shared/run-check.ts'
import type { Terminal } from '../shared/terminal.ts'

/** Creates one pod, and reads it. */
const rule = 'pods.create.read-back'

/**
 * Runs the rule that creates one pod, which the run removes. Notes in the target file why it did not pass. Returns the exit
 * code.
 */
export async function createOnePod(
  document: Document,
  { target, file }: { readonly target: Target; readonly file: string },
  terminal: Terminal,
): Promise<number> {
  const { pods } = target
  if (pods === null) return 0
  const note = (reason: string) => {
    terminal.err(`no pod was created and read: ${reason}`)
    addComment(document, 'pods: {cpu: {id: FLAVOR_ID, vcpuCount: 2}}', `CPU pods, claimed by default: ${reason}`)
    return 0
  }
  const cpu = await firstFlavor(target, pods)
  if (cpu instanceof Error) return note(cpu.message)
  return runCheck({
    plan: { seed: 1, profiles: ['core'], strict: false, keep: false, rules: [rule] },
    // With the catalog, the run would also try its first flavor on a pod.
    target: { ...target, pods: { ...pods, cpu, catalog: false } },
    targetFile: file,
    quiet: true,
    ...openReports({ format: [] }, terminal.cwd),
    estimate: null,
    terminal,
    async printRecord(folder) {
      const { rules } = await resultsOf(folder)
      const judged = rules.find(({ id }) => id === rule)
      if (judged === undefined) return note(`${rule} was not judged`)
      const [finding] = judged.findings
      const why = finding === undefined ? judged.reason : contrastText(finding)
      if (judged.verdict !== 'passed') return note(`${rule} is ${judged.verdict}: ${why}`)
      terminal.err('a pod was created and removed')
      return 0
    },
  })
}

/** The first flavor of the catalog, or why there is none. */
async function firstFlavor(target: Target, pods: PodSection): Promise<PodSection['cpu'] | Error> {
  try {
    const { status, body } = await asking(target, 'init', (clientOf) => clientOf(planeNamed('pods'))('listCpuFlavors'))
    return cpuFrom(pods, { status, json: jsonOf(body) }).cpu as PodSection['cpu']
  } catch (error) {
    if (error instanceof Blocked || error instanceof TransportFailure) return error
    throw error
  }
}

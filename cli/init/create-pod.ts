import { contrastText } from '../../harness/rule/outcome.ts'
import type { Target } from '../../target/types.ts'
import { resultsOf } from '../shared/records/record.ts'
import { openReports, runCheck } from '../shared/run/run-check.ts'
import type { Terminal } from '../shared/terminal.ts'

/** Creates a pod, and reads it. */
const rule = 'pods.create.read-back'

/**
 * Runs the rule that creates a pod, after one that tries the flavor of the catalog; the run removes both. Returns the exit
 * code: 0 also if the rule did not pass, with the reason on the terminal.
 */
export function createPod(
  { target, file }: { readonly target: Target; readonly file: string },
  terminal: Terminal,
): Promise<number> {
  const note = (reason: string) => {
    terminal.err(`no pod was created and read: ${reason}`)
    return 0
  }
  return runCheck({
    plan: { seed: 1, profiles: ['core'], strict: false, keep: false, rules: [rule] },
    target,
    targetFile: file,
    quiet: true,
    ...openReports({ format: [] }, terminal.cwd),
    estimate: null,
    terminal,
    async printRecord(folder) {
      const { rules } = await resultsOf(folder)
      const judged = rules.find(({ id }) => id === rule)
      const finding = judged?.findings[0]
      const why = finding === undefined ? judged?.reason : contrastText(finding)
      if (judged?.verdict !== 'passed') return note(`${rule} is ${judged?.verdict ?? 'not judged'}: ${why}`)
      terminal.err('a pod was created and removed')
      return 0
    },
  })
}

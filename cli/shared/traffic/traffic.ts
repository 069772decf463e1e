import { pluralize } from '../../../harness/common/pluralize.ts'
import { Unverified } from '../../../harness/rule/outcome.ts'
import type { Target } from '../../../target/types.ts'
import { clientRows } from '../../../traffic/client-rules.ts'
import { createTraffic } from '../../../traffic/session.ts'
import { moduleUrl, program, version } from '../package-paths.ts'
import { digestsOf } from '../records/digests.ts'
import { isForPrograms } from '../records/formats.ts'
import { resultsOf } from '../records/record.ts'
import { report } from '../records/report.ts'
import { inFolder, openReports } from '../run/run-check.ts'
import { newRunId } from '../run/runs.ts'
import { noVendorRules, type VendorRules } from '../run/vendor-rules.ts'
import type { Terminal } from '../terminal.ts'

/** How traffic of others is judged and reported. */
interface TrafficChoice {
  readonly target: Target
  readonly targetFile: string | null
  /** The words of the command that shows the findings again, which the record states; empty if none does. */
  readonly command: string
  readonly judgesClient: boolean
  readonly out?: string
  readonly format: readonly string[]
  readonly quiet: boolean
}

/** The rows about clients, as results take rows that the ledger does not have. */
export const clientVendor: VendorRules = { ...noVendorRules, rows: clientRows }

export type Traffic = ReturnType<typeof createTraffic>

/**
 * Judges the exchanges that `work` gives to a judge, then reports. `work` resolves with the end of the traffic, ms. Returns
 * the exit code. Throws Unverified if no exchange was one of the target.
 */
export async function judgeTraffic(
  choice: TrafficChoice,
  startedMs: number,
  terminal: Terminal,
  work: (traffic: Traffic) => Promise<number>,
): Promise<number> {
  const { target, targetFile, command, judgesClient, out, quiet } = choice
  const { formats, files } = openReports(choice, terminal.cwd)
  await import(moduleUrl('suites/all'))
  return inFolder(out, terminal.cwd, async (evidence) => {
    const facts = {
      ...{ run: newRunId(), plumbline: version(), startedMs, targetFile, program, traffic: command },
      digests: digestsOf(target),
    }
    const traffic = createTraffic({ target, evidence, facts, judgesClient })
    terminal.hide?.(traffic.redactor.text)
    const endedMs = await work(traffic)
    const judgements = traffic.end(endedMs)
    const { judged, answered, elsewhere, unknown } = traffic.counts
    const others = `${pluralize(elsewhere, 'request')} to other hosts and ${pluralize(unknown, 'request')} to no operation`
    if (judged === 0)
      throw new Unverified(`nothing was exercised: no request calls an operation of the target; ignored ${others}`)
    if (answered === 0) throw new Unverified('nothing was exercised: no request got a response from the target')
    const results = await resultsOf(evidence, judgesClient ? clientVendor : noVendorRules)
    const tell = isForPrograms(formats) ? terminal.err : terminal.out
    const exercised = judgements
      .filter(({ exchanges }) => exchanges > 0)
      .map(({ rule, exchanges }) => `${rule} ${exchanges}`)
    tell(`${pluralize(judged, 'exchange')} judged; ignored ${others}`)
    if (!quiet && exercised.length > 0) tell(`exercised, with the number of exchanges: ${exercised.join(', ')}`)
    return report(results, { formats, files, dir: out === undefined ? null : evidence, quiet }, terminal)
  })
}

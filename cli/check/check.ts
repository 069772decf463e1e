import { parseFormats } from '../shared/records/formats.ts'
import { readFailed } from '../shared/run/earlier-run.ts'
import { type CheckFlags, type CheckOptions, openCheck, prepareOpened, withLoad } from '../shared/run/prepare-check.ts'
import { type RunServer, runCheck } from '../shared/run/run-check.ts'
import { vendorRulesOf } from '../shared/run/vendor-rules.ts'
import { withTarget } from '../shared/target.ts'
import type { Terminal } from '../shared/terminal.ts'
import { withServer } from './server.ts'
import { againOnChange } from './watch.ts'

/** Judges the rules against a target, or against the reference in process. Returns the exit code. */
export async function check(given: CheckFlags, terminal: Terminal): Promise<number> {
  const { watch, out } = given
  if (watch === undefined) return checkOnce(given, terminal)
  const files = parseFormats(given.format).files.map(({ name }) => name)
  const own = ['.plumbline', ...(out === undefined ? [] : [out]), ...files]
  return againOnChange(watch, own, () => checkOnce(given, terminal), terminal)
}

async function checkOnce(given: CheckFlags, terminal: Terminal): Promise<number> {
  const chosen = withLoad(withTarget(given, terminal))
  // Before an earlier run and the target file, which may name these rules.
  const vendor = await vendorRulesOf(chosen.rules, terminal.cwd)
  const options = withFailed(chosen, terminal)
  if (typeof options === 'number') return options
  const opened = await openCheck(options, vendor, terminal)
  const { start, wait, quiet } = options
  const run = async (server?: RunServer) =>
    runCheck({ ...(await prepareOpened(opened, terminal)), ...(server !== undefined && { server }) })
  return opened.target === null ? run() : withServer(opened.target, { start, wait, quiet }, terminal, run)
}

/** The options with the rules that `--rerun-failed` selects; if there are none, says so and returns the exit code of that run. */
function withFailed(options: CheckOptions, terminal: Terminal): CheckOptions | number {
  const { rerunFailed, load } = options
  if (rerunFailed === undefined) return options
  const failed = readFailed(rerunFailed, load !== undefined, terminal)
  if (failed.only.length === 0) {
    terminal.out(`nothing failed in ${rerunFailed}, and nothing is left to verify: ${failed.verdict.line}`)
    return failed.verdict.exit
  }
  return { ...(failed.seed !== null && { seed: failed.seed }), ...options, only: [...failed.only] }
}

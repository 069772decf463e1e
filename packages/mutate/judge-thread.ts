import { enableCompileCache, registerHooks } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'
import type { Judgement } from '../../harness/run/judge.ts'
import { serveTasks } from '../../proof/threads.ts'
import type { Finding, MutantResult, MutantTask, ThreadData } from './crew.ts'

// Judges the reference with one mutant active at a time. The reference is loaded after the first task has come, so that
// the mutant of that task also changes what is computed at load.

/** The switch that the instrumenter's code reads, and what it counts; the names are the instrumenter's. */
const instrumented: {
  activeMutant?: string
  currentTestId?: string
  mutantCoverage?: {
    readonly static: Readonly<Record<string, number>>
    readonly perTest: Readonly<Record<string, Readonly<Record<string, number>>>>
  }
} = {}
Object.assign(globalThis, { __stryker__: instrumented })

const { code, rules, expected } = workerData as ThreadData
const survived: Finding = { status: 'survived', by: null }

enableCompileCache()
registerHooks({
  load(url, context, next) {
    const source = code.get(url)
    return source === undefined ? next(url, context) : { format: 'module', source, shortCircuit: true }
  },
})

// It ends at once: rules may still run after the first verdict that differs.
parentPort?.on('message', (message) => {
  if (message === null) process.exit()
})
serveTasks(async ({ name, mutant }: MutantTask): Promise<MutantResult> => {
  if (mutant !== null) instrumented.activeMutant = mutant
  const { compareLatitude, unchanged } = await import('../../proof/compare.ts')
  const { everything } = await import('../../proof/jobs.ts')
  const { judgeOn } = await import('../../proof/judge.ts')
  const catalog = everything()
  const chosen = catalog.rules.filter(({ id }) => rules === null || rules.includes(id))
  instrumented.currentTestId = name
  const { promise: early, resolve: kill } = Promise.withResolvers<MutantResult>()
  const judged = (judgement: Judgement) => {
    const finding = findingOf(judgement)
    if (finding.status === 'killed') kill({ ...finding, judgements: [], reached: { atLoad: [], running: [] } })
  }
  return Promise.race([early, whole()])

  async function whole(): Promise<MutantResult> {
    const judgements = await judgeOn({ variants: [], rules: chosen, judged })
    const findings = judgements.map(findingOf)
    const first = (status: Finding['status']) => findings.find((finding) => finding.status === status)
    const { static: atLoad = {}, perTest = {} } = instrumented.mutantCoverage ?? {}
    const reached = { atLoad: Object.keys(atLoad), running: Object.keys(perTest[name] ?? {}) }
    return { ...(first('killed') ?? first('recorded') ?? survived), judgements, reached }
  }

  function findingOf(judgement: Judgement): Finding {
    const [mismatch] = expected === null ? [] : compareLatitude(unchanged, [judgement], expected, catalog)
    if (mismatch === undefined) return survived
    const { rule, seen, reason } = mismatch
    return { status: seen === judgement.verdict ? 'killed' : 'recorded', by: { rule, why: reason ?? seen } }
  }
})

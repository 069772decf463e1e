import { expect, onTestFinished, test } from 'vitest'
import '../../../suites/all.ts'
import { allRules } from '../../../harness/rule/registry.ts'
import { nodeWorker, noPython, pythonWorker } from '../../../harness/testing/workers.ts'
import { judgeOn } from '../../../proof/judge.ts'
import type { ReferenceOptions } from '../../../reference/index.ts'
import { connect } from '../connect.ts'
import { readCommand } from './command.ts'
import { createProcessWorker } from './process-worker.ts'

/** Rules about jobs of each kind: echoed, held, failed, died, stopped, executed again, and notified. */
const about =
  /^(queue\.(run\.echo|body\.s3config-kept|runsync\.when-done|status\.failed|retry-automatic|retry\.(failed|late-result)|cancel\.(running|frees-worker)|execution-timeout\.enforced|stream\.(incremental|ends))|webhook\.(three|same-job))$/
const rules = allRules().filter(({ id }) => about.test(id))

test.for<[string, readonly string[]]>([
  ['worker/main.ts', nodeWorker],
  ['suites/worker', pythonWorker],
])('rules about jobs pass with processes of %s', { timeout: 300_000 }, async ([, [, line]], { skip }) => {
  skip(line === undefined, noPython)
  const complaints: string[] = []
  const complain = (message: string) => complaints.push(message)
  const words = readCommand('--worker', line ?? '')
  const worker = await createProcessWorker({ words, cwd: process.cwd(), environment: process.env, complain })
  onTestFinished(() => worker.close(1_000))
  const says = 'Jobs are executed by processes.'
  const variants = [{ id: 'processes', says, change: (base: ReferenceOptions) => ({ ...base, worker }) }]
  const judgements = await judgeOn({ variants, connect, rules })
  expect(judgements).toHaveLength(14)
  expect(judgements.filter(({ verdict }) => verdict !== 'passed')).toEqual([])
  expect(complaints).toEqual([])
})

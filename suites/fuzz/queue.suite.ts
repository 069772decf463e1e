import { tables } from '../../generated/tables.ts'
import { raw } from '../../harness/client/body.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import { idOrNumberIn } from '../../harness/exchange/read.ts'
import { createCases } from '../../harness/rule/cases.ts'
import { rule } from '../../harness/rule/registry.ts'
import { oneWorker } from '../shared/full-endpoint.ts'
import { blockedIfAllAreRefused } from '../shared/job-responses.ts'
import { submissionBodies } from './arbitrary.ts'
import { drawCases, enumerate, type FuzzCase, firstOfEach } from './cases.ts'
import { classify } from './oracle.ts'
import { trySingle, type Way } from './single.ts'
import { isChange, mayChange } from './trial.ts'

/** Texts of which the description says the same as of another one. */
const alike: ReadonlySet<string> = new Set(['$.s3Config.accessSecret', '$.s3Config.bucketName'])

/** Random cases after the enumeration. */
const drawn = 12
const situation = { operation: 'runJob' } as const

rule('queue.body.fuzz', { workers: oneWorker }, async (context) => {
  const { check, fixture, inconclusive, part, queue } = context
  // Where nothing is taken at all, that is for its own rule to say.
  await fixture.submitted()
  const run: Way = {
    clause: 'run',
    situation,
    send: ({ bytes }, options) => queue.run(raw(bytes), options),
    excuse: (response) => blockedIfAllAreRefused(context, response),
  }
  const runsync: Way = {
    clause: 'runsync',
    situation: { operation: 'runJobSync' },
    send: ({ bytes }, options) => queue.runsync(raw(bytes), options),
    // What /runsync answers once its wait is over is not described.
    async excuse(response) {
      if (response.status === 408) inconclusive('/runsync answered 408: no worker came in its wait')
      await blockedIfAllAreRefused(context, response)
    },
  }
  const runs = cases.map((one) => async () => {
    const response = await trySingle(context, run, one)
    if (isSuccess(response.status)) check('id').that(idOrNumberIn(response.json) !== null, 'an id', 'no id', response)
  })
  // Without our worker nobody knows how long it would take until a valid one is answered.
  const isTwin = (one: FuzzCase) => one === cases[0] && part('worker')
  const synchronous = cases.filter((one) => isTwin(one) || !mayChange(situation, one))
  const { attempt, end } = createCases()
  for (const tried of [...runs, ...synchronous.map((one) => () => trySingle(context, runsync, one))]) {
    if (!(await attempt(tried))) break
  }
  end()
})

/** Everything that can be wrong once, each kind of field at one place; nobody is notified of what is accepted. */
function enumerated(): FuzzCase[] {
  const { executionTimeoutMs, ttlMs } = tables.bounds
  const policy = { executionTimeout: executionTimeoutMs.default, lowPriority: false, ttl: ttlMs.default }
  const s3Config = { accessId: 'id', accessSecret: 'none', bucketName: 'plumbline', endpointUrl: 'https://s3.invalid' }
  const webhook = 'https://receiver.invalid/plumbline'
  const mayBeRefused = ({ bytes }: FuzzCase) => !classify(situation, bytes).every(isChange)
  return [
    ...enumerate({ input: {} }, 'JobSubmission'),
    ...enumerate({ input: {}, policy, s3Config }, 'JobSubmission').filter(({ place }) => !alike.has(place)),
    ...enumerate({ input: {}, webhook }, 'JobSubmission').filter(
      (one) => one.place === '$.webhook' && mayBeRefused(one),
    ),
  ].filter(firstOfEach())
}

const cases: readonly FuzzCase[] = [...enumerated(), ...drawCases(submissionBodies, 'JobSubmission', drawn)]

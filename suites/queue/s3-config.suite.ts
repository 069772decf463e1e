import type { ApiResponse } from '../../harness/client/api-response.ts'
import { rule } from '../../harness/rule/registry.ts'
import { anyJob } from '../../harness/variation/dimensions.ts'
import { countAttempts } from '../shared/attempts.ts'
import { bucketHost, bucketOf, isIn, isInAttempt } from '../shared/bucket.ts'
import { expectEnd, expectOutput } from '../shared/job-ends.ts'
import { finishedBy, laterJobReads } from '../shared/job-responses.ts'

rule('queue.body.s3config-kept', { varies: [...anyJob, 'submission'] }, async (context) => {
  const { check, ended, fixture, part, vary } = context
  for (const by of vary.every('submission')) {
    const { bucket } = bucketOf(context)
    const { job, end } = await finishedBy(context, { steps: [{ report: ['s3Config'] }], s3Config: bucket }, by)
    const { response } = await expectEnd(context, 'kept', job, end, 'COMPLETED')
    await expectOutput(context, 'kept', { s3Config: bucket }, response)
    const plain = await fixture.plain({ steps: [{ report: ['s3Config'] }] })
    const after = await expectEnd(context, 'own', plain, await ended(plain), 'COMPLETED')
    const isOwn = !JSON.stringify(after.response.json).includes(bucketHost)
    check('own').that(isOwn, 'no s3Config, as the job has none', 'that of another job', after.response)
  }
  if (!part('receiver')) return
  for (const past of ['retried', 'requeued'] as const) {
    const { bucket } = bucketOf(context)
    const job = await fixture.submitted({ steps: [{ report: ['s3Config'] }], s3Config: bucket, past })
    const { response } = await expectEnd(context, past, job, await ended(job), 'COMPLETED')
    await expectOutput(context, past, { s3Config: bucket }, response)
  }
})

rule('queue.body.s3-secret', { varies: anyJob }, async (context) => {
  const { check, ended, fixture, part, target } = context
  const { bucket, secret } = bucketOf(context)
  const expectHidden = (response: ApiResponse) => {
    const expected = 'a response without accessSecret'
    check('response').that(!isIn(secret, response.bytes), expected, 'accessSecret in the body', response)
  }
  const webhook = part('receiver') ? ([500, 200] as const) : undefined
  const wish = { s3Config: bucket, ...(webhook === undefined ? {} : { webhook }) }
  const job = await fixture.submitted({ steps: [{ output: 1 }], ...wish })
  const failing = await fixture.submitted({ steps: [{ fail: 'a plain failure' }], ...wish })
  const { job: sync } = await finishedBy(context, { steps: [{ output: 1 }], ...wish }, 'runsync')
  const ends = [
    await expectEnd(context, 'response', job, await ended(job), 'COMPLETED'),
    await expectEnd(context, 'response', failing, await ended(failing, target.tolerances.retriesMs), 'FAILED'),
  ]
  for (const response of [job.response, failing.response, sync.response]) expectHidden(response)
  for (const { response } of ends) expectHidden(response)
  if (webhook !== undefined) {
    await countAttempts(context, 'notification', job, webhook.length)
    await countAttempts(context, 'notification', sync, webhook.length)
    for (const attempt of [job, failing, sync].flatMap((one) => one.webhook.attempts())) {
      const expected = 'a notification without accessSecret'
      check('notification').that(!isInAttempt(secret, attempt), expected, 'accessSecret', job.response)
    }
  }
  for (const one of [job, failing]) for await (const response of laterJobReads(context, one)) expectHidden(response)
})

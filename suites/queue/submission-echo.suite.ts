import { canonical, type Members } from '../../harness/exchange/read.ts'
import type { SubmittedJob } from '../../harness/fixtures/types.ts'
import { rule } from '../../harness/rule/registry.ts'
import { anyJob } from '../../harness/variation/dimensions.ts'
import { outputs, inputs as unusualInputs } from '../../harness/variation/values.ts'
import { expectEnd, otherOutput } from '../shared/job-answers.ts'

/** Inputs that come back as they are, by the clause that each is for. */
const inputs: Readonly<Record<string, Members>> = {
  nested: { list: [1, [2, [{ deep: { deeper: [null, true, 'text'] } }]]], object: { empty: {}, list: [] } },
  unicode: { ключ: 'ä € 😀 \u2028 "quoted" back\\slash\nnext line', 名: 'e\u0301' },
  empty: {},
  doubles: { tenth: 0.1, small: -1.5e-7, great: 1e21, long: 123456789.12345679, whole: 9007199254740991, zero: 0 },
  large: { text: 'plumbline '.repeat(10_240) },
}

/** Length of an output whose fate is recorded. */
const recordedBytes = 400_000

rule('queue.run.echo', { varies: [...anyJob, 'output'], workers: 3 }, async (context) => {
  const { fixture, ended, check, reading, vary } = context
  const sent: { clause: string; job: SubmittedJob; expected: unknown }[] = []
  for (const [clause, input] of Object.entries(inputs)) {
    sent.push({ clause, job: await fixture.submitted({ input }), expected: input })
  }
  for (const name of vary.every('output')) {
    const expected = outputs[name]
    const job = await fixture.submitted({ input: {}, steps: [{ output: expected }] })
    sent.push({ clause: 'output', job, expected })
  }
  for (const name of vary.every('input')) {
    const expected = unusualInputs[name]
    sent.push({ clause: 'input', job: await fixture.submitted({ input: expected }), expected })
  }
  for (const { clause, job, expected } of sent) {
    const { job: shown, reply } = await expectEnd(context, clause, job, await ended(job), 'COMPLETED')
    const isSame = canonical(shown?.output) === canonical(expected)
    check(clause).that(isSame, 'the input or output as it was given', otherOutput(shown?.output), reply)
  }
  const long = await ended(await fixture.submitted({ steps: [{ bytes: recordedBytes }] }))
  const output = long.job?.output
  const isWhole = typeof output === 'string' && output.length === recordedBytes
  reading(`${recordedBytes} bytes`, long.status !== 'COMPLETED' || isWhole ? long.status : 'COMPLETED and not whole')
})

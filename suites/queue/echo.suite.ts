import type { Members } from '../../harness/exchange/read.ts'
import { options, submitted } from '../../harness/planes/queue/fixtures/jobs.ts'
import type { SubmittedJob } from '../../harness/planes/queue/fixtures/types.ts'
import { rule } from '../../harness/rule/registry.ts'
import { anyJob } from '../../harness/variation/dimensions.ts'
import { outputs, inputs as unusualInputs } from '../../harness/variation/values.ts'
import { inChunks, needsLength } from '../shared/chunks.ts'
import { expectEnd, expectOutput } from '../shared/job-ends.ts'
import { submittedId } from '../shared/job-responses.ts'

/** Length of an output whose fate is recorded. */
const recordedBytes = 400_000

/** For most jobs, since the second endpoint may have a single worker, which other rules wait for. */
const atNormal = { endpoint: 'normal' } as const

/** Levels of nesting, which leave room for those of a response below the 64 that common parsers permit. */
const levels = 48
/** Inputs that come back as they are, by the clause that each is for. */
const inputs: Readonly<Record<string, Members>> = {
  nested: {
    list: [1, [2, [{ deep: { deeper: [null, true, 'text'] } }]]],
    object: { empty: {}, list: [], 'a.b': 1, $c: 2 },
  },
  deep: {
    // Lists and objects in turn.
    levels: Array.from({ length: levels }).reduce(
      (inner, _, n) => (n % 2 === 0 ? [inner] : { inner }),
      'the innermost',
    ),
    list: Array.from({ length: 2_000 }, (_, n) => n),
  },
  unicode: { ключ: 'ä € 😀 \u2028 "quoted" back\\slash\nnext line', 名: 'e\u0301' },
  empty: {},
  doubles: { tenth: 0.1, small: -1.5e-7, great: 1e21, long: 123456789.12345679, whole: 9007199254740991, zero: 0 },
  large: { text: 'plumbline '.repeat(10_240) },
}

rule(
  'queue.run.echo',
  { shared: ['second'], varies: [...anyJob, 'output', 'endpoint'], workers: 3 },
  async (context) => {
    const { fixture, ended, notJudged, part, reading, vary } = context
    const sent: { clause: string; job: SubmittedJob; expected: unknown }[] = []
    for (const [clause, input] of Object.entries(inputs)) {
      if (clause === 'large' && !part('queue.large')) continue
      sent.push({ clause, job: await fixture.submitted({ input }), expected: input })
    }
    for (const name of vary.every('output')) {
      const expected = outputs[name]
      const job = await fixture.submitted({ input: {}, steps: [{ output: expected }], ...atNormal })
      sent.push({ clause: 'output', job, expected })
    }
    for (const name of vary.every('input')) {
      const expected = unusualInputs[name]
      sent.push({ clause: 'input', job: await fixture.submitted({ input: expected, ...atNormal }), expected })
    }
    const expected = inputs.nested ?? {}
    const chunked = fixture.job({ input: expected })
    const response = await chunked.queue.run(chunked.body, inChunks)
    if (needsLength(response)) notJudged('chunked', 'a body without its length is refused')
    else {
      const job = submitted(chunked, submittedId(context, 'chunked', chunked.body, response), response)
      sent.push({ clause: 'chunked', job, expected })
    }
    // The other jobs draw options too, so these are judged first.
    for (const name of vary.every('options')) {
      const input = { options: name }
      sent.unshift({
        clause: 'options',
        job: await fixture.submitted({ input, ...options[name], ...atNormal }),
        expected: input,
      })
    }
    for (const { clause, job, expected } of sent) {
      const { response } = await expectEnd(context, clause, job, await ended(job), 'COMPLETED')
      await expectOutput(context, clause, expected, response)
    }
    const long = await ended(await fixture.submitted({ steps: [{ bytes: recordedBytes }], ...atNormal }))
    const output = long.job?.output
    const isWhole = typeof output === 'string' && output.length === recordedBytes
    reading(`${recordedBytes} bytes`, long.status !== 'COMPLETED' || isWhole ? long.status : 'COMPLETED and not whole')
  },
)

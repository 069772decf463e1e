import { canonical, type Members } from '../harness/read.ts'
import { rule } from '../harness/registry.ts'
import { kindOf } from '../pods/readers.ts'

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

rule(
  'queue.run.echo',
  async ({ fixture, ended, check, inconclusive, reading }) => {
    const jobs = new Map<string, Awaited<ReturnType<typeof fixture.submitted>>>()
    for (const [clause, input] of Object.entries(inputs)) jobs.set(clause, await fixture.submitted({ input }))
    for (const [clause, job] of jobs) {
      const { status, job: shown, reply, settled } = await ended(job)
      if (!settled) inconclusive('a job that echoes its input did not end in time')
      check(clause).that(status === 'COMPLETED', 'status COMPLETED', `status ${status}`, reply)
      const isSame = canonical(shown?.output) === canonical(inputs[clause])
      check(clause).that(isSame, 'the input as output', otherThan(shown?.output), reply)
    }
    const long = await ended(await fixture.submitted({ steps: [{ bytes: recordedBytes }] }))
    const output = long.job?.output
    const isWhole = typeof output === 'string' && output.length === recordedBytes
    reading(`${recordedBytes} bytes`, long.status !== 'COMPLETED' || isWhole ? long.status : 'COMPLETED and not whole')
  },
  { workers: 3 },
)

function otherThan(output: unknown): string {
  return typeof output === 'object' && output !== null ? 'something else' : kindOf(output)
}

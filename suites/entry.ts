import { afterAll, expect, inject, test } from 'vitest'
import type { Judgement } from '../harness/run/judge.ts'
import { openRun } from '../harness/run/open.ts'
import type { RunOptions } from '../harness/run/options.ts'
import './all.ts'

declare module 'vitest' {
  interface ProvidedContext {
    readonly plumbline: RunOptions
  }
}

const run = await openRun(inject('plumbline'))
let rest: Promise<Judgement[]> | undefined

if (run.stopped !== null) test('the target can be judged', () => expect.fail(run.stopped?.message))
else {
  for (const { id, judge } of run.session.scenarios) {
    test.concurrent(id, async () => {
      const judgement = await judge()
      run.judged(judgement)
      expectGreen(judgement)
    })
  }
  for (const id of [...run.session.invariants, ...run.loaded]) {
    test(id, { concurrent: false }, async () => {
      rest ??= run.finish()
      const judgement = (await rest).find(({ rule }) => rule === id)
      if (judgement !== undefined) expectGreen(judgement)
    })
  }
}

afterAll(async () => {
  rest ??= run.finish()
  await rest
})

/** For whoever runs one rule in an editor: the finding as the message of the test. */
function expectGreen({ verdict, reason, findings }: Judgement): void {
  if (verdict === 'passed' || verdict === 'observed') return
  const findingTexts = findings.map(
    ({ clause, expected, observed }) => `${clause}: expected ${expected}; observed ${observed}`,
  )
  expect.fail([`${verdict}${reason === null ? '' : `: ${reason}`}`, ...findingTexts].join('\n'))
}

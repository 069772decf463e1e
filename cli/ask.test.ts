import { expect, test } from 'vitest'
import { parseTarget } from '../target/load.ts'
import { refusalBefore } from './ask.ts'

// The closed port stands for an endpoint without a worker: on a controlled clock nobody would let one start.
test.each([
  ['', { exit: 5 }],
  ['clock: {url: "http://127.0.0.1:1/clock"}\n', null],
])('a plane whose response may need time is asked in real time alone, with "%s"', async (clock, refusal) => {
  const text = `plumbline: 1\nlb: {endpoints: {normal: "http://127.0.0.1:1"}}\nkeys: {full: plumbline-example-full}\n${clock}`
  const target = parseTarget(text, { file: 'target.yaml', environment: {} })
  const found = await refusalBefore(target, () => true, 'plan')
  expect(found && { exit: found.exit }).toEqual(refusal)
})

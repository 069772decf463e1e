import { expect, test } from 'vitest'
import { createEvidenceCheck } from './evidence-check.ts'

const target = { name: 'a', keys: {}, absent: {}, tolerances: {}, budget: {}, clock: 'real' }
const run = {
  ...{ type: 'run', format: 1, run: 'r0', plumbline: '1', startedMs: 0, targetFile: null, seed: 1, clock: 'real' },
  ...{ profiles: ['core'], strict: false, rules: [], target },
  digests: { suite: '', ledger: '', specification: '', target: '' },
}
const end = { type: 'end', endedMs: 1, passedMs: 1, exchanges: 0, stopped: null }
const wait = { type: 'clock', owner: 'pods.a', wait: 1, nowMs: 5 }

test.each<[lines: readonly unknown[], said: string | null]>([
  [[run, wait, end], null],
  [[run, { ...wait, later: 'more' }], null],
  [[wait], 'line 1 is the first event and has no type run'],
  [[run, run], 'line 2 is a second event of type run'],
  [[run, end, end], 'line 3 comes after the event of type end'],
  [[{ ...run, rules: 'x' }], 'line 1 is not an event: /rules must be array'],
  [[{ ...run, target: null }], 'line 1 is not an event: /target must be object'],
  [[run, { ...wait, wait: 1.5 }], 'line 2 is not an event: /wait must be integer'],
  [[{ ...run, targetFile: 5 }], 'line 1 is not an event: /targetFile must be string or null'],
  [[run, { type: 'other' }], 'line 2 is not an event: it has an unknown type'],
])('a record is checked line by line %#', (lines, said) => {
  const check = createEvidenceCheck()
  const all = () => lines.map((line, at) => check(line, `line ${at + 1}`))
  if (said === null) all()
  else expect(all).toThrow(`${said}; the record is damaged`)
})

import { expect, test } from 'vitest'
import type { Budget } from '../../target/types.ts'
import { costLine, costOf } from './cost.ts'

const nobody = { podPricePerHour: null, jobPrice: null }
test.each<
  [
    created: { pods: number; podMs: number; jobs: number },
    prices: Pick<Budget, 'podPricePerHour' | 'jobPrice'>,
    cost: number | null,
    line: string,
  ]
>([
  [{ pods: 0, podMs: 0, jobs: 0 }, nobody, 0, 'only the requests, since no pods or jobs are created'],
  [
    { pods: 2, podMs: 5_400_000, jobs: 40 },
    { podPricePerHour: 0.5, jobPrice: 0.01 },
    1.15,
    'about 1.15 USD, for about 2 pods (1h30m in all) and about 40 jobs',
  ],
  [
    { pods: 1, podMs: 60_000, jobs: 0 },
    { ...nobody, podPricePerHour: 6 },
    0.1,
    'about 0.10 USD, for about 1 pod (1m in all)',
  ],
  [{ pods: 0, podMs: 0, jobs: 1 }, { ...nobody, jobPrice: 0 }, 0, 'about 0.00 USD, for about 1 job'],
  [
    { pods: 1, podMs: 60_000, jobs: 1 },
    { ...nobody, jobPrice: 1 },
    null,
    'unknown (set budget: {podPricePerHour: USD} in the target file), for about 1 pod (1m in all) and about 1 job',
  ],
  [
    { pods: 1, podMs: 60_000, jobs: 1 },
    nobody,
    null,
    'unknown (set budget: {podPricePerHour: USD, jobPrice: USD} in the target file), for about 1 pod (1m in all) and about 1 job',
  ],
])('%j at %j costs %s USD', (created, prices, cost, line) => {
  expect(costOf(created, prices)).toBe(cost)
  expect(costLine(created, prices)).toBe(`estimated cost: ${line}`)
})

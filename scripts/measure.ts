// Measures the cost of the rules on the reference and writes harness/plan/costs.json, which plans use.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { situations } from '../harness/plan/costs.ts'
import { measureCosts } from '../proof/costs.ts'

const seeds = [1, 2, 3, 4, 5]

/** Lines that differ from the costs of an unlimited run. */
const parts: string[] = []
const free = await measureCosts('free', seeds)
for (const situation of situations) {
  const costs = situation === 'free' ? free : await measureCosts(situation, seeds)
  const lines = Object.entries(costs).flatMap(([name, cost]) => {
    const text = JSON.stringify(Object.fromEntries(Object.entries(cost).filter(([, value]) => value !== 0)))
    const isSame = situation !== 'free' && JSON.stringify(cost) === JSON.stringify(free[name])
    return isSame ? [] : [`    "${name}": ${text}`]
  })
  parts.push(`  "${situation}": {\n${lines.join(',\n')}\n  }`)
}
writeFileSync(join(import.meta.dirname, '../harness/plan/costs.json'), `{\n${parts.join(',\n')}\n}\n`)

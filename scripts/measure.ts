// Measures the cost of the rules on the reference and writes harness/plan/costs.json, which plans use.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { measureCosts } from '../proof/costs.ts'

const costs = await measureCosts([1, 2, 3, 4, 5])
// A line for each rule, so that adding one changes no other.
const lines = Object.entries(costs).map(([name, cost]) => {
  const members = Object.entries(cost).filter(([, value]) => value !== 0)
  return `  "${name}": ${JSON.stringify(Object.fromEntries(members))}`
})
writeFileSync(join(import.meta.dirname, '../harness/plan/costs.json'), `{\n${lines.join(',\n')}\n}\n`)

import { parseArgs } from 'node:util'
import { tryOddAnswers } from './odd.ts'

const { values } = parseArgs({ options: { sample: { type: 'string' }, seed: { type: 'string' } } })
const begin = performance.now()
const result = await tryOddAnswers({
  ...(values.sample === undefined ? {} : { sample: Number(values.sample) }),
  seed: Number(values.seed ?? 1),
})
for (const { odd, rule, reason } of result.broken) console.log(`BROKEN ${rule} by ${odd}: ${reason}`)
for (const odd of result.unnoticed) console.log(`unnoticed: ${odd}`)
console.log(
  `${result.tried.length} of ${result.cases} cases, ${result.broken.length} broken, ${result.unnoticed.length} unnoticed, ${Math.round(performance.now() - begin)} ms`,
)

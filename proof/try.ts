import { parseArgs } from 'node:util'
import { prove } from './prove.ts'

const { values } = parseArgs({ options: { only: { type: 'string' }, matrix: { type: 'boolean' } } })
const begin = performance.now()
const result = await prove({
  ...(values.only === undefined ? {} : { only: values.only }),
  matrix: values.matrix ?? false,
})
for (const { id, rule, clause, killed, expected, observed } of result.defects) {
  console.log(
    killed
      ? `killed      ${id}`
      : `NOT KILLED  ${id}: ${rule} ${clause}\n    expected  ${expected}\n    seen      ${observed}`,
  )
}
for (const miss of result.reference.failed) console.log('REFERENCE ', JSON.stringify(miss))
for (const { id, failed } of result.latitudes)
  for (const miss of failed) console.log(`LATITUDE ${id}`, JSON.stringify(miss))
for (const { rule, clause } of result.unkilledClauses) console.log(`NO DEFECT FOR ${rule}  ${clause}`)
for (const id of result.unknownClauses) console.log(`UNKNOWN CLAUSE in defect ${id}`)
for (const { rule, reading } of result.unproven)
  console.log(`UNPROVEN READING ${rule} ${reading ?? '(records nothing)'}`)
for (const { id, failed } of result.matrix ?? []) console.log(`MATRIX ${id}: ${failed.join(' ')}`)
console.log(`${result.proven ? 'proven' : 'not proven'} in ${Math.round(performance.now() - begin)} ms`)

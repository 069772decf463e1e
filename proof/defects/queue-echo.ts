import type { Defect } from '../types.ts'
import { asks, showsIn, takesInput } from './queue-tools.ts'
import { defect, emptyInChunks } from './tools.ts'

/** Inputs and outputs of jobs that change on their way. */
export const queueEcho: readonly Defect[] = [
  defect('input-lists-flattened', 'queue.run.echo', 'nested', {
    says: 'Lists within lists of an input are flattened.',
    observed: '2 at $.list[1]',
    change: takesInput((input) => JSON.parse(JSON.stringify(input), flattened)),
  }),
  defect('input-names-without-dots', 'queue.run.echo', 'nested', {
    says: 'Dots in the names of members of an input become underscores.',
    observed: 'nothing at $.object.a.b',
    change: takesInput((input) => JSON.parse(JSON.stringify(input).replaceAll('"a.b"', '"a_b"'))),
  }),
  defect('submission-in-chunks-empty', 'queue.run.echo', 'chunked', {
    says: 'A submission in chunks, without its length, counts as empty.',
    observed: 'status 400: {"error":"a body is required"}',
    wrap: emptyInChunks(asks('run')),
  }),
  defect('input-cut-at-depth', 'queue.run.echo', 'deep', {
    says: 'Of an input everything below sixteen levels is left out.',
    observed: 'null at $.levels.inner[0].inner[0].inner[0].inner[0].inner[0].inner[0].inner[0].inner',
    change: takesInput((input) => cutAt(input, 16)),
  }),
  defect('input-lists-cut', 'queue.run.echo', 'deep', {
    says: 'Lists of an input are cut after a thousand items.',
    observed: 'nothing at $.list[1000]',
    change: takesInput((input) =>
      JSON.parse(JSON.stringify(input), (_, value) => (Array.isArray(value) ? value.slice(0, 1_000) : value)),
    ),
  }),
  defect('output-not-ascii-lost', 'queue.run.echo', 'unicode', {
    says: 'Letters beyond ASCII of an output become question marks.',
    observed: 'nothing at $.\\u043a\\u043b\\u044e\\u0447',
    change: showsIn('COMPLETED', (shown) => JSON.parse(JSON.stringify(shown).replace(/[^\0-\x7f]/g, '?'))),
  }),
  defect('output-empty-left-out', 'queue.run.echo', 'empty', {
    says: 'An output that is an empty object is left out.',
    observed: 'nothing',
    change: showsIn('COMPLETED', ({ output, ...shown }) =>
      JSON.stringify(output) === '{}' ? shown : { ...shown, output },
    ),
  }),
  defect('output-numbers-rounded', 'queue.run.echo', 'doubles', {
    says: 'Numbers of an output lose digits, as in half of their length.',
    observed: '0.10000000149011612 at $.tenth',
    change: showsIn('COMPLETED', (shown) =>
      JSON.parse(JSON.stringify(shown), (_, value) => (typeof value === 'number' ? Math.fround(value) : value)),
    ),
  }),
  defect('input-texts-cut', 'queue.run.echo', 'large', {
    says: 'Texts of an input are cut at 64 KB.',
    observed: '"ine plumbline plumbl" from character 65516 of 65536 at $.text',
    change: takesInput((input) =>
      JSON.parse(JSON.stringify(input), (_, value) => (typeof value === 'string' ? value.slice(0, 65_536) : value)),
    ),
  }),
]

function flattened(_: string, value: unknown): unknown {
  return Array.isArray(value) ? value.flat() : value
}

/** A value without what is nested deeper than so many levels. */
function cutAt(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (depth === 0) return null
  const cut = (inner: unknown) => cutAt(inner, depth - 1)
  if (Array.isArray(value)) return value.map(cut)
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, cut(inner)]))
}

import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { rules } from '../../generated/rules.ts'
import type { SchemaName } from '../../generated/validators.ts'
import { cut } from '../../harness/common/cut.ts'
import { codePointEscape } from '../../harness/common/escape.ts'
import type { Context } from '../../harness/rule/context.ts'
import { type Mutator, mutators } from './mutators/index.ts'
import { encoded } from './mutators/types.ts'
import { type Place, pathText, placesIn, type Schema, schemaNamed } from './schema.ts'

/** A body, and what was done to it. */
export interface FuzzCase {
  /** Name of the mutator, several joined by ` + `; `as-is` for a body that nothing was done to. */
  readonly mutator: string
  /** The place in the body, as `$.mounts.network[0].path`. */
  readonly place: string
  readonly bytes: Uint8Array
  /** Simpler cases, the simplest first; none if it is as simple as can be. */
  readonly simpler?: () => Iterable<FuzzCase>
}

/** The name of a mutator that changes nothing. */
export const asIs = 'as-is'

/** A case in a few words: `padded at $.action`. */
export function caseText({ mutator, place }: Pick<FuzzCase, 'mutator' | 'place'>): string {
  return `${mutator} at ${place}`
}

/** Cases in their order: `padded at $.action, extra at $`. */
export function casesText(cases: readonly FuzzCase[]): string {
  return cases.map(caseText).join(', ')
}

/** The same for who does not know the mutators: `at $.action a blank follows it`. */
export function caseSaid({ mutator, place }: Pick<FuzzCase, 'mutator' | 'place'>): string {
  if (mutator === asIs) return 'the body is a valid one, as it is'
  const said = mutator.split(' + ').map((name) => mutators.find((each) => each.name === name)?.says ?? name)
  return `at ${place} ${said.join(', and ')}`
}

/** A body and its mutation, as the beginning of a sentence. */
export function bodySaid(one: FuzzCase): string {
  return `${bodyText(one.bytes)} (${caseSaid(one)})`
}

/** A body as a short text, with everything that does not print as an escape. */
export function bodyText(bytes: Uint8Array): string {
  if (bytes.length === 0) return 'no body'
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes).replace(/(?! )[\p{C}\p{Z}]/gu, escaped)
  return cut(text, 120)
}

/** A character that nobody would see, as JSON escapes it, else by its code point. */
function escaped(character: string): string {
  const json = JSON.stringify(character).slice(1, -1)
  return json === character ? codePointEscape(character) : json
}

/** Every (place × mutator) of one valid body once, and the body itself first. */
export function enumerate(body: unknown, schema: SchemaName): readonly FuzzCase[] {
  const key = `${schema} ${JSON.stringify(body)}`
  const known = enumerated.get(key)
  if (known !== undefined) return known
  const places = placesIn(body, schemaNamed(schema))
  const cases = [
    { mutator: asIs, place: '$', bytes: encoded(JSON.stringify(body)) },
    ...places.flatMap((place) =>
      mutators.flatMap((mutator) => {
        const bytes = mutator.write(body, place)
        return bytes === null ? [] : [{ mutator: mutator.name, place: pathText(place.path), bytes }]
      }),
    ),
  ]
  enumerated.set(key, cases)
  return cases
}

/** Few bodies are enumerated, and those in each of many runs. */
const enumerated = new Map<string, readonly FuzzCase[]>()

/** Random cases: a body of `bodies`, most often with one thing wrong, now and then with two or none. */
export function arbitraryCase(bodies: fc.Arbitrary<unknown>, schema: SchemaName): fc.Arbitrary<FuzzCase> {
  const resolvedSchema = schemaNamed(schema)
  const values = mutators.filter(({ change }) => change !== undefined)
  const choice = fc.record({
    body: bodies,
    first: fc.oneof({ arbitrary: fc.constant(null), weight: 7 }, { arbitrary: fc.constantFrom(...values), weight: 1 }),
    mutator: fc.oneof(
      { arbitrary: fc.constant(null), weight: 1 },
      { arbitrary: fc.constantFrom(...mutators), weight: 9 },
    ),
    at: fc.nat(11),
  })
  return choice.map(({ body, first, mutator, at }) => mutated(body, resolvedSchema, [first, mutator], at))
}

/** The seed of a gate, which must not flicker: it changes with the ledger and with nothing else. */
const ledgerSeed = createHash('sha256').update(JSON.stringify(rules)).digest().readInt32BE(0)

/** Random cases, the same as long as the ledger is. */
export function drawCases(bodies: fc.Arbitrary<unknown>, schema: SchemaName, count: number): FuzzCase[] {
  const cases = arbitraryCase(bodies, schema)
  return Array.from({ length: count }, (_, run) => shrinkable(draw(cases, ledgerSeed, run), cases))
}

/** Parts of the cases of a rule. A sparing run tries one part: its pods and requests cost. */
const parts = [...'12345678']

/** The part that a case belongs to, by its text, in every run. */
export function partOf(text: string): string {
  return parts[createHash('sha256').update(text).digest().readUInt8(0) % parts.length] ?? ''
}

/** Makes a filter for the parts of the cases that a rule tries. Bodies that are enumerated as they are belong to each part. */
export function inDrawnPart({ vary }: Pick<Context, 'vary'>): (one: FuzzCase) => boolean {
  const drawn = new Set(vary.parts(parts))
  return (one) => {
    const isRandom = one.simpler !== undefined
    if (one.mutator === asIs && !isRandom) return true
    return drawn.has(partOf(isRandom ? bodyText(one.bytes) : caseText(one)))
  }
}

/** A filter that lets each case pass once. */
export function firstOfEach(): (one: FuzzCase) => boolean {
  const done = new Set<string>()
  return (one) => done.size < done.add(caseText(one)).size
}

/** Draws one value; the same for the same seed and run. */
export function draw<T>(arbitrary: fc.Arbitrary<T>, seed: number, run: number): fc.Value<T> {
  return arbitrary.generate(randomOf(seed, run), 2 + Math.floor(Math.log10(run + 1)))
}

/** A drawn case with its simpler ones. */
export function shrinkable(value: fc.Value<FuzzCase>, arbitrary: fc.Arbitrary<FuzzCase>): FuzzCase {
  const simpler = function* () {
    for (const next of arbitrary.shrink(value.value, value.context)) yield shrinkable(next, arbitrary)
  }
  return { ...value.value, simpler }
}

function mutated(body: unknown, schema: Schema, chosen: readonly (Mutator | null)[], at: number): FuzzCase {
  let value = body
  let bytes: Uint8Array | null = null
  const names: string[] = []
  let place = '$'
  for (const mutator of chosen) {
    const fitting = mutator === null ? null : firstFitting(mutator, value, placesIn(value, schema), at)
    if (mutator === null || fitting === null) continue
    if (mutator.change === undefined) bytes = fitting.bytes
    else value = mutator.change(value, fitting.place)
    names.push(mutator.name)
    place = pathText(fitting.place.path)
  }
  return { mutator: names.join(' + ') || asIs, place, bytes: bytes ?? encoded(JSON.stringify(value)) }
}

/** The first place, from one of them onwards and around, where a mutator has something to change. */
function firstFitting(mutator: Mutator, body: unknown, places: readonly Place[], at: number) {
  for (let step = 0; step < places.length; step++) {
    const place = places[(at + step) % places.length]
    const bytes = place === undefined ? null : mutator.write(body, place)
    if (place !== undefined && bytes !== null) return { place, bytes }
  }
  return null
}

/** Numbers of fast-check's kind from a seed and the number of a run, so that any run can be drawn without the earlier ones. */
function randomOf(seed: number, run: number): fc.Random {
  return new fc.Random(mulberry32(Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(run + 1, 0xc2b2ae35)))
}

function mulberry32(seed: number): Extract<ConstructorParameters<typeof fc.Random>[0], { next(): number }> {
  let state = seed | 0
  return {
    clone: () => mulberry32(state),
    getState: () => [state],
    next() {
      state = (state + 0x6d2b79f5) | 0
      let mixed = Math.imul(state ^ (state >>> 15), state | 1)
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
      return (mixed ^ (mixed >>> 14)) | 0
    },
  }
}

import { matchesGlob } from 'node:path'
import { Ajv } from 'ajv'
import { parse } from 'yaml'
import { UsageError } from '../../cli/shared/errors.ts'
import type { Mutant } from './instrument.ts'

/** In the order of the report. */
export const classes = ['equivalent', 'freedom', 'load', 'missing'] as const

/** Why a mutant may survive, or what has yet to notice it. */
export interface Classification {
  readonly class: (typeof classes)[number]
  readonly reason: string
}

interface Document {
  readonly excluded: readonly { readonly reason: string; readonly files: readonly string[] }[]
  readonly unreached: readonly (Classification & { readonly functions: readonly string[] })[]
  readonly survivors: readonly (Classification & {
    readonly mutants?: readonly string[]
    readonly functions?: readonly string[]
  })[]
}

const text = { type: 'string', minLength: 1 }
const texts = { type: 'array', items: text, minItems: 1 }
const listOf = (properties: Record<string, object>, more: object = {}) => ({
  type: 'array',
  items: { type: 'object', properties, required: Object.keys(properties), additionalProperties: false, ...more },
})
const classified = { class: { enum: classes }, reason: text }
const lists = {
  excluded: listOf({ reason: text, files: texts }),
  unreached: listOf({ ...classified, functions: texts }),
  survivors: listOf(
    { ...classified, mutants: texts, functions: texts },
    { required: Object.keys(classified), minProperties: Object.keys(classified).length + 1 },
  ),
}
const isTable = new Ajv().compile<Document>({
  type: 'object',
  properties: lists,
  required: Object.keys(lists),
  additionalProperties: false,
})

export type Table = ReturnType<typeof readTable>

/**
 * `proof/mutants.yaml`: the mutants that no rule notices, each with its reason.
 * @throws UsageError if the text is not such a table.
 */
export function readTable(yaml: string) {
  const document: unknown = parse(yaml)
  if (!isTable(document)) {
    const [error] = isTable.errors ?? []
    throw new UsageError(`proof/mutants.yaml: ${error?.instancePath || 'the document'} ${error?.message}`)
  }
  const { excluded, unreached, survivors } = document
  const byKey = new Map<string, Classification>()
  for (const entry of survivors) {
    for (const key of entry.mutants ?? []) {
      if (byKey.has(key)) throw new UsageError(`proof/mutants.yaml: survivors lists this mutant twice: ${key}`)
      byKey.set(key, entry)
    }
  }
  const covers = ({ functions = [] }: { readonly functions?: readonly string[] }, { place }: Mutant) =>
    functions.some((glob) => matchesGlob(place, glob))
  return {
    /** Why a file is not mutated, or undefined. */
    exclusion: (file: string) => excluded.find(({ files }) => files.some((glob) => matchesGlob(file, glob)))?.reason,
    /** Of a mutant whose code runs while the reference is judged. */
    survivor: (mutant: Mutant): Classification | undefined =>
      byKey.get(mutant.key) ?? survivors.find((entry) => covers(entry, mutant)),
    /** Of a mutant whose code never runs. */
    unreached: (mutant: Mutant): Classification | undefined => unreached.find((entry) => covers(entry, mutant)),
    /** Entries that none of these mutants needs. */
    stale(alive: readonly Mutant[], beyond: readonly Mutant[]): string[] {
      const keys = new Set(alive.map(({ key }) => key))
      const unused = (entries: Document['survivors'], mutants: readonly Mutant[]) =>
        entries
          .flatMap(({ functions = [] }) => functions)
          .filter((glob) => !mutants.some((mutant) => covers({ functions: [glob] }, mutant)))
      return [
        ...[...byKey.keys()].filter((key) => !keys.has(key)),
        ...unused(survivors, alive),
        ...unused(unreached, beyond),
      ]
    },
  }
}

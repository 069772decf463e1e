import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { rules as rows } from '../generated/rules.ts'
import { judgedByLoad } from '../harness/rule/load-rules.ts'
import { rowOf } from '../harness/run/rows.ts'
import { catalogFaults, freedomFaults, type Ledger, ledgerFaults, rulesWithoutDefect } from './gates.ts'
import { createInstance } from './instance.ts'
import { everything } from './jobs.ts'
import { tours } from './tour.ts'
import type { Defect, Latitude } from './types.ts'

const catalog = everything()
const ledger: Ledger = {
  ids: rows.map(({ id }) => id),
  ever: readSpec('ids.txt')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#')),
  retired: parse(readSpec('retired.yaml')) as unknown[],
}

describe('the ledger', () => {
  it('has a function or a judge of load for each row, a row for each of them, and no id that vanished', () => {
    expect(
      ledgerFaults(
        ledger,
        catalog.rules.map(({ id }) => id),
        [...judgedByLoad],
      ),
    ).toEqual([])
  })

  it.each([
    [{ ids: ['a', 'b'] }, ['a'], 'rule b has a row and no function: write it in suites/, or retire the row'],
    [{ ids: ['a'] }, ['a', 'b'], 'rule b has a function and no row: add it to spec/rules/'],
    [{ ids: ['a', 'a'] }, ['a'], 'rule a has two rows: ids are unique'],
    [{ ids: ['a', 'b'], ever: ['a'] }, ['a', 'b'], 'rule b is not in spec/rules/ids.txt: add the line'],
    [
      { ids: ['a'], ever: ['a', 'b'] },
      ['a'],
      'rule b vanished: give it an entry in spec/rules/retired.yaml that says why',
    ],
    [
      { ids: ['a'], ever: ['a'], retired: [{ id: 'a', why: 'split' }] },
      ['a'],
      'rule a is retired and has a row: ids are never used again',
    ],
    [
      { ids: ['a'], retired: [{ id: 'b', why: 'split' }] },
      ['a'],
      'retired rule b is not in spec/rules/ids.txt: add the line',
    ],
    [{ ids: ['a'], ever: ['a', 'b'], retired: [{ id: 'b' }] }, ['a'], 'retired rule b does not say why'],
    [
      { ids: ['a'], ever: ['a', 'b'], retired: [{ id: 'b', why: 'split', replacedBy: 'c' }] },
      ['a'],
      'retired rule b is replaced by c, which has no row',
    ],
  ])('names the culprit in %o', (given, functions, message) => {
    const { ids, ever = ids, retired = [] } = given as Partial<Ledger> & Pick<Ledger, 'ids'>
    expect(ledgerFaults({ ids, ever, retired }, functions)).toEqual([message])
  })

  it('holds what load judges against the same rows', () => {
    const faults = (functions: string[], load: string[]) =>
      ledgerFaults({ ids: ['a', 'b'], ever: ['a', 'b'], retired: [] }, functions, load)
    expect(faults(['a'], ['b'])).toEqual([])
    expect(faults(['a', 'b'], ['b'])).toEqual([
      'rule b has a function and a judge in load/: take it out of harness/rule/load-rules.ts',
    ])
    expect(faults(['a', 'b'], ['c'])).toEqual(['rule c has a judge in load/ and no row: add it to spec/rules/'])
  })
})

describe('the catalog', () => {
  it('has unique ids, known rules, and at least one defect for each rule', () => {
    expect([...catalogFaults(catalog), ...rulesWithoutDefect(catalog)]).toEqual([])
  })

  it('makes each choice of the style of the reference in some latitude', () => {
    expect(freedomFaults(catalog)).toEqual([])
  })

  it('is without each need of a rule on some latitude', () => {
    const { target } = createInstance()
    const lacked = new Set(catalog.latitudes.flatMap(({ file }) => Object.keys(file?.(target).absent ?? {})))
    // A target that creates pods has them in each of these statuses; a container is all that it takes.
    const always = ['pod.exited', 'pod.running']
    const needs = new Set(catalog.rules.flatMap(({ id }) => rowOf(id).needs))
    expect([...needs].filter((need) => !lacked.has(need) && !always.includes(need))).toEqual([])
  })

  it('has a tour of scenarios that exist', () => {
    const scenarios = catalog.rules.filter(({ kind }) => kind === 'scenario').map(({ id }) => id)
    expect(scenarios).toEqual(expect.arrayContaining([...Object.values(tours).flat()]))
  })

  it('has a tour of scenarios that do not wait longer than 30 s, because they also run beside a chosen invariant', () => {
    const waits = Object.values(tours).flatMap((tour) => tour.map((id) => [id, rowOf(id).wait ?? ''] as const))
    expect(waits.filter(([, wait]) => !/^(|\d+ms|[12]?\ds|30s)$/.test(wait))).toEqual([])
  })

  const defect: Defect = {
    id: 'it-breaks',
    says: 'It breaks.',
    rule: 'pods.action.exited.stop',
    clause: 'refused',
    observed: 'status 200',
    wrap: (fetch) => fetch,
  }
  const rules = catalog.rules.filter(({ id }) => id === defect.rule)

  it.each<[Partial<Defect>[], string]>([
    [[{}, {}], 'two defects or latitudes are called it-breaks: ids are unique'],
    [[{ id: 'It_Breaks' }], 'It_Breaks is not a kebab-case id of small letters and digits'],
    [[{ says: 'it breaks' }], 'it-breaks says "it breaks", which is not a sentence that ends with a full stop'],
    [[{ tour: [] }], 'defect it-breaks names a tour, but pods.action.exited.stop is a scenario and needs none'],
    [[{}, { id: 'other', rule: 'pods.shape.env' }], 'defect other is of rule pods.shape.env, which has no function'],
  ])('names the culprit in %o', (changes, message) => {
    const defects = changes.map((change) => ({ ...defect, ...change }))
    expect(catalogFaults({ rules, defects, latitudes: [] })).toEqual([message])
  })

  it('names a variant that changes nothing, and a latitude of an unknown rule', () => {
    const { wrap: _, ...nothing } = defect
    const latitude: Latitude = {
      id: 'free',
      says: 'It is free.',
      change: (options) => options,
      verdicts: { 'pods.shape.env': 'advice' },
    }
    expect(catalogFaults({ rules, defects: [nothing], latitudes: [latitude] })).toEqual([
      'it-breaks changes nothing: it needs change, wrap or tool',
      'latitude free names rule pods.shape.env, which has no function',
    ])
  })

  it('names a freedom without a latitude', () => {
    expect(freedomFaults({ latitudes: [] })).toContain(
      'no latitude makes the choice createStatus: 200; add one to proof/latitudes/',
    )
  })
})

function readSpec(name: string): string {
  return readFileSync(new URL(`../spec/rules/${name}`, import.meta.url), 'utf8')
}

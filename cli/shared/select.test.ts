import { describe, expect, test } from 'vitest'
import type { RuleRow } from '../../generated/rules.ts'
import { UsageError } from './errors.ts'
import { profilesOf, readProfiles, selectRules } from './run/selection.ts'

const rows = [
  row('auth.pods.missing', 'auth'),
  row('pods.action.running.stop', 'pods'),
  row('pods.action-body.empty', 'pods'),
  row('pods.patch.null', 'pods'),
  row('limits.pods.drain', 'limits', 'limits'),
]
const core = ['core']
const all = ['core', 'limits']

describe('selectRules', () => {
  test.each<[string[], string[], string[]]>([
    [[], all, rows.map(({ id }) => id).sort()],
    [[], core, ['auth.pods.missing', 'pods.action-body.empty', 'pods.action.running.stop', 'pods.patch.null']],
    [['auth'], core, ['auth.pods.missing']],
    [['pods.patch.null'], core, ['pods.patch.null']],
    [['limits.pods.drain'], core, ['limits.pods.drain']],
    [['pods.*.null'], core, ['pods.patch.null']],
    [['pods.action.*'], core, ['pods.action.running.stop']],
    [['pods.action.**'], core, ['pods.action.running.stop']],
    [['*.stop'], core, ['pods.action.running.stop']],
    [['pods.*'], core, ['pods.action-body.empty', 'pods.action.running.stop', 'pods.patch.null']],
    [['pods'], core, ['pods.action-body.empty', 'pods.action.running.stop', 'pods.patch.null']],
    [['*'], all, rows.map(({ id }) => id).sort()],
    [['pods.action*', 'auth'], core, ['auth.pods.missing', 'pods.action-body.empty', 'pods.action.running.stop']],
  ])('%j in %j', (only, profiles, ids) => {
    expect(selectRules(rows, { only, profiles })).toEqual(ids)
  })

  test.each([
    ['pods.patch.nul', core, '--only: no rule matches pods.patch.nul; did you mean pods.patch.null?'],
    ['pods.action', core, '--only: no rule has the id pods.action, but 1 begins with it; write pods.action.*'],
    ['', core, '--only is empty; name a rule, a glob over ids, or an area'],
    ['x'.repeat(1001), core, '--only takes patterns of up to 1000 characters, got 1001'],
    ['pods.acton.*', core, '--only: no rule matches pods.acton.*; plumbline rules lists all'],
    ['pods.patch.nulx*', core, '--only: no rule matches pods.patch.nulx*; plumbline rules lists all'],
    ['limits.*', core, 'nothing was selected: 1 rule matches, but none is in profile core; add --profile limits'],
    [
      '*',
      ['lab'],
      `nothing was selected: ${rows.length} rules match, but none is in profile lab; add --profile with one or more of core, limits`,
    ],
  ])('refuses %s in %j', (pattern, profiles, message) => {
    expect(() => selectRules(rows, { only: [pattern], profiles })).toThrow(new UsageError(message))
  })

  test('refuses a pattern that matches nothing beside one that does', () => {
    expect(() => selectRules(rows, { only: ['auth', 'zzz.*'], profiles: core })).toThrow('no rule matches zzz.*')
  })
})

test('profiles are those that rules are in', () => {
  expect(profilesOf(rows)).toEqual(['core', 'limits'])
  expect(readProfiles('limits, core,core', rows)).toEqual(['limits', 'core'])
  expect(() => readProfiles('cor', rows)).toThrow('--profile: unknown profile "cor"; did you mean core?')
  expect(() => readProfiles('core,deploy', rows)).toThrow(
    '--profile: profile deploy has no rules yet; choose from core, limits',
  )
})

function row(id: string, area: RuleRow['area'], profile: RuleRow['profile'] = 'core'): RuleRow {
  return {
    id,
    area,
    profile,
    level: 'must',
    basis: 'stated',
    source: 'Pod',
    says: 'x',
    needs: [],
    parts: [],
    wait: null,
    judged: null,
  }
}

import { expect, test } from 'vitest'
import { groupsOf, membersOf, together } from './groups.ts'
import { latitudes } from './latitudes/index.ts'

const groups = groupsOf(latitudes)

test('each latitude is in one group, which its id names', () => {
  expect(groups.flat().toSorted(byId)).toEqual([...latitudes].toSorted(byId))
  for (const members of groups) {
    expect(membersOf(together(members).id, latitudes).toSorted(byId)).toEqual([...members].toSorted(byId))
  }
})

test('no two latitudes of a group are about the same', () => {
  for (const members of groups) {
    const subjects = members.flatMap(({ about = [] }) => about)
    expect(subjects).toEqual([...new Set(subjects)])
  }
})

test('few groups run every rule: one for each latitude that removes planes, and less than one for each other two', () => {
  const ofAll = latitudes.filter(({ planes }) => planes === undefined)
  const removing = ofAll.filter(({ id }) => id.startsWith('only-'))
  const found = groups.filter((members) => members.some(({ planes }) => planes === undefined))
  expect(found.length).toBeLessThan(removing.length + (ofAll.length - removing.length) / 2)
})

function byId(a: { readonly id: string }, b: { readonly id: string }): number {
  return a.id < b.id ? -1 : 1
}

import { expect, test } from 'vitest'
import { everything } from '../../proof/jobs.ts'
import { judgeOn } from '../../proof/judge.ts'

test('a template that the account does not have says nothing of its quota', async () => {
  const judgements = await judgeOn({
    variants: [
      {
        id: 'other-template',
        says: 'The target file names a template that does not exist.',
        file: (target) => ({
          ...target,
          management: target.management && { ...target.management, template: 'tpl-missing' },
        }),
      },
    ],
    rules: everything().rules.filter(({ id }) => /^endpoints\.quota/.test(id)),
  })
  expect(judgements.map(({ rule, verdict, by }) => [rule, verdict, by]).sort()).toEqual(
    ['quota', 'quota-race', 'quota-update'].map((id) => [`endpoints.${id}`, 'blocked', 'endpoints.create']),
  )
})

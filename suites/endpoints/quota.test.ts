import { expect, test } from 'vitest'
import { everything } from '../../proof/jobs.ts'
import { judgeOn } from '../../proof/judge.ts'

const quotaRules = everything().rules.filter(({ id }) => /^endpoints\.quota/.test(id))

test('the message about the quota may be plain text', async () => {
  const judgements = await judgeOn({
    variants: [
      {
        id: 'quota-told-as-text',
        says: 'The refusal of workers beyond the quota is a text.',
        wrap: (fetch) => async (request) => {
          const response = await fetch(request)
          if (response.status !== 400) return response
          const { error } = (await response.json()) as { readonly error: string }
          return new Response(error, { status: 400 })
        },
      },
    ],
    rules: quotaRules,
  })
  expect(judgements.map(({ verdict }) => verdict)).toEqual(['passed', 'passed', 'passed'])
})

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
    rules: quotaRules,
  })
  expect(judgements.map(({ rule, verdict, by }) => [rule, verdict, by]).sort()).toEqual(
    ['quota', 'quota-race', 'quota-update'].map((id) => [`endpoints.${id}`, 'blocked', 'endpoints.create']),
  )
})

import '../all.ts'
import { expect, test } from 'vitest'
import { allRules } from '../../harness/rule/registry.ts'
import { toolPart } from '../../proof/defects/tools.ts'
import { judgeOn } from '../../proof/judge.ts'

test.each([
  ['compiled code', '.pyc', 'inconclusive', /compiled or in an archive of its own, and none as text$/],
  [
    'code under other names',
    '.txt',
    'failed',
    /^worker\/\w+\.py, worker\/\w+\.py, worker\/\w+\.py, and 14 more missing or changed$/,
  ],
])('deploy.manifest on a package with %s', async (says, ending, verdict, reason) => {
  const tool = toolPart('filesOf', (next, tree) =>
    next(tree).map((file) =>
      file.path.endsWith('.py') ? { ...file, path: `${file.path.slice(0, -3)}${ending}` } : file,
    ),
  )
  const [judgement] = await judgeOn({
    variants: [{ id: 'other-code', says, tool }],
    rules: allRules().filter(({ id }) => id === 'deploy.manifest'),
  })
  expect(judgement?.verdict).toBe(verdict)
  expect(judgement?.reason ?? judgement?.findings[0]?.observed).toMatch(reason)
})

import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { membersOf } from '../../harness/exchange/read.ts'
import { defaultKeys } from '../../reference/auth/accounts.ts'
import type { Fetch } from '../../reference/index.ts'
import { runHere } from '../shared/testing/in-process.ts'
import { serveHere } from '../shared/testing/served.ts'

const creations = /^\/(v2\/pods|v1\/endpoints|v2\/[^/]+\/run)$/

/** Each creation and submission is carried out, and its response has this id; with `everywhere` each list as well. */
function answering(id: unknown, everywhere: boolean): (fetch: Fetch) => Fetch {
  const changed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(changed)
    const members = membersOf(value)
    if (members === null) return value
    return { ...members, ...('id' in members && { id }), ...('pods' in members && { pods: changed(members.pods) }) }
  }
  return (fetch) => async (request) => {
    const response = await fetch(request)
    const { pathname } = new URL(request.url)
    const isChanged = creations.test(pathname) && (request.method === 'POST' || everywhere)
    return isChanged ? Response.json(changed(await response.json()), response) : response
  }
}

const judged = ['pods.create.read-back', 'queue.run.accepted', 'endpoints.create']
const words = ['check', '--target', 'target.yaml', '--out', 'report', ...judged.flatMap((id) => ['--only', id])]

test.each<[string, unknown]>([
  ['an unpaired surrogate', '\ud800'],
  ['too long for an address', 'x'.repeat(200_000)],
  ['an object that has no text', { toString: 1 }],
  ['the segment of another address', '..'],
])('an id that is %s is a finding, and what was created is removed by its name', async (_, id) => {
  const { cwd, fetch } = await serveHere({ wrap: answering(id, false) })
  expect(await runHere(words, { cwd })).toMatchObject({ code: 1 })
  const { rules } = JSON.parse(readFileSync(join(cwd, 'report', 'results.json'), 'utf8'))
  const clauses = rules.map((rule: { id: string; findings: { clause: string }[] }) => [
    rule.id,
    ...rule.findings.map(({ clause }) => clause),
  ])
  // The list of pods shows another id, and the response to a creation is not described.
  expect(clauses).toEqual([['endpoints.create'], ['pods.create.read-back'], ['queue.run.accepted', 'id']])
  for (const path of ['/v2/pods', '/v1/endpoints']) {
    const headers = { authorization: `Bearer ${defaultKeys.full}` }
    const listed = await (await fetch(new Request(`http://reference.test${path}`, { headers }))).text()
    expect(listed).not.toContain('plumbline-r')
  }
})

test('a pod that no response shows with an id is reported, and given up where that is asked for', async () => {
  const { cwd } = await serveHere({ wrap: answering({ toString: 1 }, true) })
  const seen = await runHere(['check', '--target', 'target.yaml', '--only', 'pods.create.read-back'], { cwd })
  expect(seen).toMatchObject({
    code: 1,
    err: expect.stringContaining('the list of pods shows it without an id that an address can hold'),
  })
  const [run = ''] = readdirSync(join(cwd, '.plumbline', 'runs'))
  // This process is the owner of the run, and still active.
  rmSync(join(cwd, '.plumbline', 'runs', run, 'owner.json'))
  expect((await runHere(['sweep'], { cwd })).code).toBe(3)
  expect(await runHere(['sweep', run, '--forget'], { cwd })).toMatchObject({
    code: 0,
    out: expect.stringContaining(`run ${run}: forgot pod`),
  })
  expect(existsSync(join(cwd, '.plumbline', 'runs', run))).toBe(false)
})

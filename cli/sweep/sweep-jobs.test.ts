import { afterAll, expect, test } from 'vitest'
import { defaultKeys } from '../../reference/auth/accounts.ts'
import { createCommands, until } from '../shared/testing/commands.ts'

const commands = createCommands('sweep-jobs')

afterAll(commands.close)

/** Jobs that the rule submits at once on a controlled clock, and as many of them as wait when its run is killed. */
const submitted = 200
const many = 100

test('kill -9 amid 200 queued jobs leaves none that waits once sweep has run', { timeout: 120_000 }, async () => {
  const { target, url } = await commands.serve(['--clock', 'control'])

  /** Jobs of the dedicated endpoint that wait or run. */
  async function unfinished(): Promise<number> {
    const headers = { authorization: `Bearer ${defaultKeys.full}` }
    const response = await fetch(`${url}/v2/dedicated/health`, { headers })
    const { jobs } = (await response.json()) as { jobs: { inQueue: number; inProgress: number } }
    return jobs.inQueue + jobs.inProgress
  }

  const { child, ended } = commands.start(['check', '--target', target, '--only', 'queue.status.no-loss'])
  // Without pauses: the jobs wait for a moment only.
  while ((await unfinished()) < many) expect(child.exitCode).toBe(null)
  child.kill('SIGKILL')
  expect((await ended).code).toBe(null)
  const left = await unfinished()
  expect(left).toBeGreaterThanOrEqual(many)
  expect(left).toBeLessThanOrEqual(submitted)
  // The process that runs the rules ends a moment later, and its run counts as active until then.
  await until(async () => !(await commands.run(['sweep'])).said.includes('is still active'))
  expect(await unfinished()).toBe(0)
  expect(await commands.run(['sweep'])).toMatchObject({ code: 0, said: expect.not.stringContaining('removed') })
})

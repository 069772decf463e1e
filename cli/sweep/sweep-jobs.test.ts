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

  /** Jobs of the dedicated endpoint. */
  async function counts(): Promise<{ inQueue: number; inProgress: number }> {
    const headers = { authorization: `Bearer ${defaultKeys.full}` }
    const response = await fetch(`${url}/v2/dedicated/health`, { headers })
    return ((await response.json()) as { jobs: { inQueue: number; inProgress: number } }).jobs
  }
  async function unfinished(): Promise<number> {
    const { inQueue, inProgress } = await counts()
    return inQueue + inProgress
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
  let said = ''
  await until(async () => {
    said = (await commands.run(['sweep'])).said
    return !said.includes('is still active')
  })
  // A job whose id never came is purged, unless a worker has it.
  expect((await counts()).inQueue, said).toBe(0)
  expect(await commands.run(['sweep'])).toMatchObject({ said: expect.not.stringContaining('removed') })
})

import type { Server } from 'node:http'
import { createAdaptorServer } from '@hono/node-server'
import { expect, test } from 'vitest'
import { openClock } from '../../harness/clock/open.ts'
import { listening } from '../../harness/testing/listening.ts'
import { clockPath, createControlHandler } from '../../reference/clock/control-endpoint.ts'
import { createControlledClock } from '../../reference/clock/controlled.ts'
import { createRealClock } from '../../reference/clock/real.ts'
import type { ObservableClock } from '../../reference/clock/types.ts'
import { parseTarget } from '../../target-file/load.ts'
import { refuseStandingClock } from './run/clocks.ts'

function serve(clock: ObservableClock | null): Promise<string> {
  const control = clock === null ? null : createControlHandler(clock)
  const none = async () => Response.json({ title: 'not found' }, { status: 404 })
  const fetch = (request: Request) =>
    new URL(request.url).pathname === clockPath && control ? control(request) : none()
  return listening(createAdaptorServer({ fetch }) as Server)
}

function target(url: string, more = '') {
  const text = `plumbline: 1\npods: ${url}\nkeys: {full: plumbline-example-full}\n${more}`
  return parseTarget(text, { file: 't.yaml', environment: {} })
}

test('a served reference whose time stands still needs its clock in the target file', async () => {
  const url = await serve(createControlledClock(1000))
  await expect(refuseStandingClock(target(url))).rejects.toThrow(
    `the clock at ${url} does not move, and the target file gives no clock; use the file that plumbline serve prints, add clock: {url: ${url}/plumbline/clock}, or serve it with --clock real`,
  )
  await refuseStandingClock(target(url, `clock: {url: ${url}/plumbline/clock}\n`))
})

test.each([
  ['of real time', () => createRealClock()],
  ['without a clock', () => null],
])('a server %s is left alone', async (_, clock) => {
  await refuseStandingClock(target(await serve(clock())))
})

test('a clock that runs by itself is refused as soon as it is opened', async () => {
  const url = await serve(createRealClock())
  await expect(openClock(target(url, `clock: {url: ${url}/plumbline/clock}\n`))).rejects.toThrow(
    `clock.url (${url}/plumbline/clock) answered POST with 409, as a real clock does; serve one that can be moved, or write clock: real`,
  )
})

test.each(['http://127.0.0.1:1', 'https://api.example.invalid'])(
  '%s is not there, which is told elsewhere',
  async (url) => {
    await refuseStandingClock(target(url))
  },
)

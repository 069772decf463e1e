import { mkdtempSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAdaptorServer } from '@hono/node-server'
import { expect, onTestFinished, test } from 'vitest'
import { referenceTarget } from '../proof/instance.ts'
import { defaultKeys } from '../reference/auth/accounts.ts'
import { createRealClock, createReference, type Fetch, type ReferenceOptions, Refusal } from '../reference/index.ts'
import { writeTarget } from '../target/write.ts'
import { runHere } from './testing/in-process.ts'

/** A served reference whose creations of endpoints are answered 500 and carried out. */
async function serve(more: Partial<ReferenceOptions>) {
  const clock = createRealClock()
  const { fetch, close } = createReference({
    clock,
    parts: {
      createEndpoint: (original) => (body, caller, service) => {
        original(body, caller, service)
        throw new Refusal(500, 'internal error')
      },
    },
    ...more,
  })
  const server = createAdaptorServer({ fetch: fetch as Fetch }) as Server
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const cwd = mkdtempSync(join(tmpdir(), 'plumbline-endpoints-'))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
    close()
    clock.close()
  })
  const target = { ...referenceTarget(url, 'real'), receiver: null }
  const file = writeTarget({ ...target, tolerances: { ...target.tolerances, visibleMs: 100 } })
  writeFileSync(join(cwd, 'target.yaml'), file)
  return {
    cwd,
    async names() {
      const headers = { authorization: `Bearer ${defaultKeys.full}` }
      const list = (await (await globalThis.fetch(`${url}/v1/endpoints`, { headers })).json()) as { name: string }[]
      return list.map(({ name }) => name).filter((name) => name.startsWith('plumbline-'))
    },
  }
}

test.each<[string, Partial<ReferenceOptions>]>([
  ['with its name', {}],
  ['with something added to its name', { style: { endpointNames: 'suffixed' } }],
])('an endpoint whose creation was answered 500 is removed at the end of the run, %s', async (_, more) => {
  const { cwd, names } = await serve(more)
  const seen = await runHere(['check', '--target', 'target.yaml', '--only', 'endpoints.create'], { cwd })
  expect(seen.out + seen.err).toContain('observed  status 500')
  expect(seen.code).toBe(1)
  expect(await names()).toEqual([])
  expect((await runHere(['sweep'], { cwd })).code).toBe(0)
})

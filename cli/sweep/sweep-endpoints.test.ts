import { mkdtempSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAdaptorServer } from '@hono/node-server'
import { expect, onTestFinished, test } from 'vitest'
import { listening } from '../../harness/testing/listening.ts'
import { referenceTarget } from '../../proof/instance.ts'
import { defaultKeys } from '../../reference/auth/accounts.ts'
import { createRealClock, createReference, type Fetch, type ReferenceOptions, Refusal } from '../../reference/index.ts'
import { writeTarget } from '../../target-file/write.ts'
import { listRuns, nameOf, readLedger } from '../shared/run/runs.ts'
import { sweepRun } from '../shared/sweep/sweep.ts'
import { runHere } from '../shared/testing/in-process.ts'

interface Served extends Partial<ReferenceOptions> {
  readonly visibleMs?: number
}

/** A served reference in real time. */
async function serve({ visibleMs = 100, ...more }: Served) {
  const clock = createRealClock()
  const { fetch, close } = createReference({ clock, ...more })
  const url = await listening(createAdaptorServer({ fetch: fetch as Fetch }) as Server)
  const cwd = mkdtempSync(join(tmpdir(), 'plumbline-endpoints-'))
  onTestFinished(() => {
    close()
    clock.close()
  })
  const target = { ...referenceTarget(url, 'real'), receiver: null }
  const file = writeTarget({ ...target, tolerances: { ...target.tolerances, visibleMs } })
  writeFileSync(join(cwd, 'target.yaml'), file)
  return { cwd, url, target }
}

/** The names of this project in a list. */
async function namesIn(list: string): Promise<string[]> {
  const response = await globalThis.fetch(list, { headers: { authorization: `Bearer ${defaultKeys.full}` } })
  return [...(await response.text()).matchAll(/"name":"(plumbline-[^"]*)/g)].map(([, name = '']) => name)
}

/** Creations are answered 500 and carried out. */
const unanswered: ReferenceOptions['parts'] = {
  createEndpoint: (original) => (body, caller, service) => {
    original(body, caller, service)
    throw new Refusal(500, 'internal error')
  },
}

const unansweredPods: ReferenceOptions['parts'] = {
  createPod: (original) => (body, caller, service) => {
    original(body, caller, service)
    throw new Refusal(500, 'internal error')
  },
}

test.each<[string, Partial<ReferenceOptions>]>([
  ['with its name', {}],
  ['with something added to its name', { style: { endpointNames: 'suffixed' } }],
])('an endpoint whose creation was answered 500 is removed at the end of the run, %s', async (_, more) => {
  const { cwd, url } = await serve({ parts: unanswered, ...more })
  const seen = await runHere(['check', '--target', 'target.yaml', '--only', 'endpoints.create'], { cwd })
  expect(seen.out + seen.err).toContain('observed  status 500')
  expect(seen.code).toBe(1)
  expect(await namesIn(`${url}/v1/endpoints`)).toEqual([])
  expect((await runHere(['sweep'], { cwd })).code).toBe(0)
})

const lateMs = 1_500

/** Pods and endpoints are invisible for a while after their creation. */
function appearingLate() {
  const hidden = new Set<string>()
  let count = 0
  const hide = (id: string) => {
    count++
    hidden.add(id)
    setTimeout(() => hidden.delete(id), lateMs)
  }
  const wrapFetch = (fetch: Fetch): Fetch => {
    return async (request) => {
      const { pathname } = new URL(request.url)
      if ([...hidden].some((id) => pathname.includes(id))) return new Response('{}', { status: 404 })
      const response = await fetch(request)
      if (!/^.v[12].(pods|endpoints)$/.test(pathname) || !response.ok) return response
      const json = await response.json()
      if (request.method === 'POST') hide((json as { id: string }).id)
      const isShown = (one: { id?: string } | null) => !hidden.has(one?.id ?? '')
      const shown = JSON.stringify(json, (_, value) => (Array.isArray(value) ? value.filter(isShown) : value))
      return new Response(shown, response)
    }
  }
  return { wrapFetch, created: () => count }
}

test.each<[string, string | undefined]>([
  ['at the end of a run', undefined],
  ['after Ctrl-C', 'judging'],
])('what appears late is removed %s', async (_, endAfter) => {
  const { wrapFetch, created } = appearingLate()
  const { cwd, url } = await serve({ visibleMs: 3_000, wrapFetch })
  const rules = ['endpoints.create', 'endpoints.echoes', 'pods.create.read-back', 'pods.create.unique-ids']
  const words = ['check', '--target', 'target.yaml', ...rules.flatMap((rule) => ['--only', rule])]
  await runHere(words, { cwd, ...(endAfter !== undefined && { endAfter }) })
  const { code, out, err } = await runHere(['sweep'], { cwd })
  await new Promise((resolve) => setTimeout(resolve, lateMs))
  expect([await namesIn(`${url}/v1/endpoints`), await namesIn(`${url}/v2/pods`)]).toEqual([[], []])
  expect([code, out + err]).toEqual([0, 'nothing to sweep: no run has a ledger here\n'])
  expect(created()).toBeGreaterThan(0)
})

test.each<[string, ReferenceOptions['parts']]>([
  ['whose creation was answered 201', {}],
  ['whose creation was answered 500', unansweredPods],
])('a pod %s and that a successful DELETE leaves is reported, and left for sweep', async (_, parts) => {
  const { cwd, url, target } = await serve({ parts: { transition: () => () => {}, ...parts } })
  const seen = await runHere(['check', '--target', 'target.yaml', '--only', 'pods.create.read-back'], { cwd })
  const left = await namesIn(`${url}/v2/pods`)
  expect(left).not.toEqual([])
  expect(seen.err).toMatch(/^\d pods? could not be removed: reported as removed, but still listed \(/m)
  expect(seen.err).not.toContain('could not be looked for')
  const [run = ''] = listRuns(cwd)
  expect(readLedger(cwd, run).left.map(nameOf).sort()).toEqual(left.sort())
  const { ends, failed } = await sweepRun({ ledger: readLedger(cwd, run), target, leaveKept: false })
  expect({ ends: ends.length, failed: failed.length }).toEqual({ ends: left.length, failed: left.length })
})

test('a pod that DELETE leaves is terminated in the end', async () => {
  const wrapFetch = (fetch: Fetch) => async (request: Request) =>
    request.method === 'DELETE' ? new Response(null, { status: 204 }) : fetch(request)
  const { cwd, url } = await serve({ wrapFetch })
  const seen = await runHere(['check', '--target', 'target.yaml', '--only', 'pods.create.read-back'], { cwd })
  expect(seen.err).not.toMatch(/could not be removed/)
  expect(await namesIn(`${url}/v2/pods`)).toEqual([])
})

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { dirname, join } from 'node:path'
import { createAdaptorServer } from '@hono/node-server'
import { Hono } from 'hono'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { diagnose } from '../../cli/doctor/doctor.ts'
import { beginLedger, readLedger } from '../../cli/shared/run/runs.ts'
import { sweepRun } from '../../cli/shared/sweep/sweep.ts'
import type { OperationFacts } from '../../generated/operations.ts'
import type { RuleId, RuleRow } from '../../generated/rules.ts'
import type { TargetFile } from '../../generated/target-file.ts'
import type { Document, Inputs } from '../../packages/codegen/inputs.ts'
import { readLedger as readRows } from '../../packages/codegen/ledger.ts'
import { readOperations } from '../../packages/codegen/operations.ts'
import { generateTarget } from '../../packages/codegen/validators.ts'
import schema from '../../spec/schemas/target.schema.json' with { type: 'json' }
import { readSection } from '../../target/section.ts'
import type { PlaneSection, Target } from '../../target/types.ts'
import { normalise } from '../../target-file/normalise.ts'
import { writeTarget } from '../../target-file/write.ts'
import { claimOf } from '../claims/claims.ts'
import { requestOf } from '../client/caller.ts'
import { createRealClock } from '../clock/real.ts'
import { isSuccess, type WireRequest } from '../exchange/exchange.ts'
import { planFor } from '../plan/plan.ts'
import { describeTarget, redactorOf } from '../record/describe.ts'
import { readEvidence } from '../record/read.ts'
import { createFileRecorder, noRecorder } from '../record/recorder.ts'
import type { Rule } from '../rule/registry.ts'
import { replay } from '../run/replay.ts'
import { createSession } from '../run/session.ts'
import { listening } from '../testing/listening.ts'
import { overHttp } from '../transport/http.ts'
import { addPlane } from './index.ts'
import { type Plane, perOperation } from './plane.ts'

// What the generator is given.

const document: Document = parse(`
openapi: 3.1.0
tags: [{ name: notes }]
components: { schemas: {} }
paths:
  /v3/notes:
    get: { operationId: listNotes, tags: [notes], responses: { 200: {} } }
    post: { operationId: createNote, tags: [notes], requestBody: {}, responses: { 201: {} } }
  /v3/notes/{id}:
    get: { operationId: getNote, tags: [notes], responses: { 200: {} } }
    delete: { operationId: deleteNote, tags: [notes], responses: { 204: {} } }
`)

const ledger = `
- { id: notes.create, area: notes, profile: core, level: must, basis: stated, source: Notes,
    says: A note is created and shown as it was sent., needs: [notes.pinned] }
- { id: notes.json, area: notes, profile: core, level: must, basis: stated, source: Notes,
    says: Every successful answer with a body is JSON. }
`

const section = {
  type: 'object',
  properties: { url: { type: 'string' }, allowPlainHttp: { type: 'boolean' }, pinned: { type: 'boolean' } },
}

// The plane.

interface NotesSection extends PlaneSection {
  readonly pinned: boolean
}

const operations = readOperations(document) as unknown as Readonly<Record<string, OperationFacts>>

const notes: Plane<NotesSection> = {
  name: 'notes',
  title: 'the notes API',
  operations,
  areas: ['notes'],
  accept: 'application/json',
  capabilities: {
    notes: { says: 'the notes API', line: 'notes: {url: https://HOST}', given: () => true },
    'notes.pinned': { says: 'notes can be pinned', line: 'notes: {pinned: true}', given: ({ pinned }) => pinned },
  },
  pacing: perOperation(operations),
  creates: {
    kind: 'note',
    line: { kind: 'resource', plane: 'notes' },
    create: 'createNote',
    list: 'listNotes',
    get: 'getNote',
    remove: 'deleteNote',
    listAt: () => '',
    isGone: () => false,
  },
  probes: [{ asked: 'the list of notes', operation: 'listNotes', resembles: Array.isArray }],
  load: null,
  probeKeys: 'notes.url',
  read: (given, around) => readSection('notes', operations, given, around),
}

const rules: readonly Rule[] = [
  {
    kind: 'scenario',
    id: 'notes.create' as RuleId,
    alone: false,
    async run({ on, check }) {
      const { call } = on('notes')
      const created = await call('createNote', { body: { name: 'plumbline-a' } })
      check('created').status(created, 201)
      const { id } = check('created').object(created)
      const { name } = check('shown').object(await call('getNote', { ids: { id: String(id) } }))
      check('shown').that(name === 'plumbline-a', 'plumbline-a', String(name), null)
    },
  },
  {
    kind: 'invariant',
    id: 'notes.json' as RuleId,
    initial: null,
    reduce(state, { response }) {
      const isJudged = response !== null && isSuccess(response.status) && response.body.length > 0
      const isJson = response?.headers.some(([, value]) => value.startsWith('application/json'))
      const finding = { clause: 'json', expected: 'application/json', observed: 'another type' }
      return { state, exercised: isJudged ? ['json'] : [], findings: isJudged && !isJson ? [finding] : [] }
    },
  },
]

// A platform that has the plane.

async function serve(forgets: boolean): Promise<{ readonly url: string; readonly ids: () => readonly string[] }> {
  const kept = new Map<string, object>()
  const app = new Hono()
  app.get('/v3/notes', (c) => c.json([...kept.values()]))
  app.post('/v3/notes', async (c) => {
    const { name } = await c.req.json()
    const note = { id: `n${kept.size + 1}`, name: forgets ? 'another' : name }
    kept.set(note.id, note)
    return c.json(note, 201)
  })
  app.get('/v3/notes/:id', (c) => c.json(kept.get(c.req.param('id')) ?? {}, kept.has(c.req.param('id')) ? 200 : 404))
  app.delete('/v3/notes/:id', (c) => c.body(null, kept.delete(c.req.param('id')) ? 204 : 404))
  const url = await listening(createAdaptorServer({ fetch: app.fetch }) as Server)
  return { url, ids: () => [...kept.keys()] }
}

async function targetOf(url: string, dir: string): Promise<Target> {
  const data = { ...schema, properties: { ...schema.properties, notes: section } }
  const { text } = generateTarget({ targetSchema: { path: '', text: '', data } } as unknown as Inputs)
  const module = join(dir, 'generated', 'target.ts')
  // The validator looks its patterns and bounds up in the schema.
  for (const [file, content] of [
    [module, text],
    [join(dir, 'spec', 'schemas', 'target.schema.json'), JSON.stringify(data)],
  ] as const) {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
  }
  const { validateTarget } = await import(module)
  const file = { plumbline: 1, notes: { url, allowPlainHttp: true, pinned: true }, keys: { full: `\${KEY}` } }
  expect(validateTarget(file)).toBe(true)
  const fault = (_: unknown, message: string) => expect.fail(message)
  const around = { environment: { KEY: 'plumbline-third' }, ruleIds: [], readFile: () => ({ fault: 'no file' }), fault }
  return normalise(file as unknown as TargetFile, around)
}

test.each([
  ['that keeps the description', false, ['passed', 'passed'], undefined],
  ['that does not', true, ['failed', 'passed'], 'another'],
] as const)('on a target %s a third plane is planned, judged, recorded, replayed and swept', async (...given) => {
  const [, forgets, verdicts, observed] = given
  const dir = mkdtempSync(join(import.meta.dirname, '.third-plane-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  onTestFinished(addPlane(notes))
  const { url, ids } = await serve(forgets)
  const target = await targetOf(url, dir)
  const rows = readRows([{ path: 'notes.yaml', text: ledger, data: parse(ledger) }], {
    path: '',
    text: '',
    data: { headings: [], labels: ['Notes'] },
  })
  const rowOf = (id: string) => rows.find((row) => row.id === id) as RuleRow
  expect([claimOf(target, 'notes.pinned'), claimOf(target, 'pods')]).toEqual(['given', 'unclaimed'])
  expect(planFor({ target, rules, rowOf, budgetMs: null }).rules).toBe(1)

  const [run, seed] = ['r0123456789', 1]
  const resources = beginLedger(dir, run, null, target)
  const recorder = createFileRecorder(dir, redactorOf(target))
  const clock = createRealClock((end) => recorder.event({ type: 'clock', ...end }))
  const http = overHttp()
  recorder.event({
    type: 'run',
    format: 1,
    run,
    plumbline: '0.0.0',
    startedMs: 0,
    targetFile: null,
    seed,
    clock: 'real',
    profiles: ['core'],
    strict: false,
    rules: rules.map(({ id }) => id),
    digests: { suite: '', ledger: '', specification: '', target: '' },
    target: describeTarget(target),
  })
  const options = {
    runId: run,
    version: '0.0.0',
    seed,
    target,
    // Removals fail, so the note is left to the sweep.
    transport: (request: WireRequest) =>
      request.method === 'DELETE'
        ? Promise.resolve({ status: 500, headers: [], body: new Uint8Array() })
        : http.send(request),
    clock,
    recorder,
    resources,
    rules,
    rowOf,
  }
  const session = createSession({ ...options, wallNow: () => Date.now() })
  expect(await session.probe()).toEqual({ plane: 'notes', status: 200 })
  const judgements = [
    ...(await Promise.all(session.scenarios.map(({ judge }) => judge()))),
    ...(await session.finish()),
  ]
  expect(judgements.map(({ verdict }) => verdict)).toEqual(verdicts)
  expect(judgements[0]?.findings[0]?.observed).toBe(observed)
  recorder.event({ type: 'end', endedMs: 0, passedMs: 0, exchanges: session.exchanges(), stopped: null })
  recorder.flush()
  clock.close()
  await http.close()

  const recorded = []
  for await (const event of readEvidence(dir)) if (event.type === 'verdict') recorded.push(event)
  const { events } = await replay(dir, { rules, rowOf })
  expect(events.filter(({ type }) => type === 'verdict')).toEqual(recorded)

  expect(ids()).toEqual(['n1'])
  const swept = await sweepRun({ ledger: readLedger(dir, run), target, leaveKept: false })
  expect(swept.ends).toMatchObject([{ of: { name: 'plumbline-a' }, end: forgets ? {} : 'removed' }])
  expect(swept.failed).toMatchObject(forgets ? [{ kind: 'note' }] : [])
  expect(ids()).toEqual(forgets ? ['n1'] : [])
})

test('a plane without an address is claimed, described, written and never looked at', async () => {
  const tool: Plane = {
    ...notes,
    name: 'tool',
    title: 'the deployment tool',
    operations: {},
    areas: ['tool'],
    capabilities: { tool: { says: 'the deployment tool', line: 'tool: {command: COMMAND}', given: () => true } },
    creates: null,
    probes: [],
    read: (given) => ({ url: null, paths: {}, ...(given as object) }),
  }
  onTestFinished(addPlane(tool))
  const file = { plumbline: 1, name: 'a tool', tool: { command: 'deploy' }, keys: { full: 'plumbline-example-full' } }
  const fault = (_: unknown, message: string) => expect.fail(message)
  const target = normalise(file as unknown as TargetFile, {
    environment: {},
    ruleIds: [],
    readFile: () => ({ fault: 'no file' }),
    fault,
  })
  expect(claimOf(target, 'tool')).toBe('given')
  expect(parse(writeTarget(target))).toMatchObject({ tool: file.tool })
  expect(diagnose(target)[0]).toBe('a tool: tool, clock real')
  const clock = createRealClock()
  onTestFinished(() => clock.close())
  const session = createSession({
    runId: 'r0123456789',
    version: '0.0.0',
    seed: 1,
    target,
    transport: () => expect.fail('a plane without an address got a request'),
    clock,
    recorder: noRecorder,
    resources: () => {},
    rules: [],
    wallNow: () => 0,
  })
  expect(await session.probe()).toBe(null)
  const request = () => requestOf(tool, { url: null, paths: {} }, 'deploy', '')
  expect(request).toThrow('deploy cannot be called: its plane has no address')
})

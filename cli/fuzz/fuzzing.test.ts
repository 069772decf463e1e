import { describe, expect, test } from 'vitest'
import type { WireRequest } from '../../harness/exchange/exchange.ts'
import { type Transport, TransportFailure, type TransportOptions } from '../../harness/transport/types.ts'
import { latitudes } from '../../proof/catalog.ts'
import { misreadActions } from '../../proof/fuzz/misread-actions.ts'
import { misreadPatches } from '../../proof/fuzz/misread-patches.ts'
import type { Variant } from '../../proof/types.ts'
import type { FuzzFinding } from '../../suites/fuzz/findings.ts'
import { createLog } from '../../suites/fuzz/steps.ts'
import { againCommand, curlOf, progressLine } from './fuzz-report.ts'
import { fuzzTarget, replayOn } from './fuzzing.ts'
import { type OpenTarget, openInProcess, openReference } from './open-target.ts'

function mutatorOf({ cases }: FuzzFinding): string {
  return cases.map(({ mutator }) => mutator).join(', then ')
}

/** True if a request sends a body to a pod. */
function sendsBody({ method, url }: WireRequest): boolean {
  return method === 'PATCH' || url.endsWith('/action')
}

function creates({ method, url }: WireRequest): boolean {
  return method === 'POST' && url.endsWith('/pods')
}

/** A target behind a transport that may answer in place of it. */
async function behind(
  answer: (pass: Transport) => Transport,
  target: OpenTarget | Promise<OpenTarget> = openReference(),
): Promise<OpenTarget> {
  const open = await target
  return { ...open, transport: answer(open.transport) }
}

function misreading(id: string): Variant[] {
  return [...misreadActions, ...misreadPatches].filter((each) => each.id === id)
}

test('the command that plays a finding again can be pasted into a shell', () => {
  const finding = { seed: 7, path: '3:0' }
  expect(againCommand(undefined, finding)).toBe('node bin/plumbline.js fuzz --reference --seed 7 --path 3:0')
  expect(againCommand('my $target.yaml', finding)).toBe(
    "node bin/plumbline.js fuzz --target 'my $target.yaml' --seed 7 --path 3:0",
  )
})

test('the reference is clean', { timeout: 120_000 }, async () => {
  const run = await fuzzTarget({ open: await openReference(), seed: 11, goesOn: (cases) => cases < 2_400 })
  expect(run).toMatchObject({ findings: [], stopped: null, notes: [], limited: 0, unsettled: 0 })
  expect(run.refused).toBeGreaterThan(2_000)
  expect(run.cases).toBeGreaterThanOrEqual(2_400)
})

test.each([
  [false, '250 cases, 50 a second, no findings'],
  [true, '250 cases, 50 a second, no findings; searching the cause of a possible finding'],
])('progress says whether a cause is searched: %s', (isSearching, line) => {
  expect(progressLine(250, 5, [], isSearching)).toBe(line)
})

test('a possible finding is noted while its cause is searched', async () => {
  const log = createLog()
  const counts = new Set<number>()
  const counting =
    (pass: Transport): Transport =>
    (...sent) => {
      counts.add(log.undecided.size)
      return pass(...sent)
    }
  const open = await behind(counting, openInProcess(misreadActions.slice(0, 1)))
  const run = await fuzzTarget({ open, seed: 3, log, goesOn: (cases) => cases < 500 })
  expect(run.findings).not.toEqual([])
  expect(counts).toContain(1)
  expect(log.undecided.size).toBe(0)
})

describe('a gateway that answers 503', () => {
  /** Fuzzes the reference behind a gateway that is out for these of its changing requests. */
  async function fuzzed(isOut: (nth: number) => boolean) {
    let nth = 0
    const open = await behind((pass) => async (request, ...rest) => {
      if (!sendsBody(request) || !isOut(++nth)) return pass(request, ...rest)
      return { ...(await pass({ ...request, method: 'GET', body: null }, ...rest)), status: 503 }
    })
    return fuzzTarget({ open, seed: 3, goesOn: (cases) => cases < 500 })
  }

  test('now and then is no finding', async () => {
    expect(await fuzzed((nth) => nth % 7 === 0)).toMatchObject({ cases: 500, findings: [], stopped: null })
  })

  test('from some moment on ends the run, with the reason', async () => {
    const { cases, findings, stopped } = await fuzzed((nth) => nth > 100)
    expect(findings).toEqual([])
    expect(cases).toBeLessThan(500)
    expect(stopped).toEqual({
      reason: 'the target answered 503, which is an outage and shows nothing',
      isUnreachable: false,
    })
  })
})

describe('a target that makes no pods', () => {
  /** The reference, which refuses creations from so many bodies on and has this answer to bodies for pods that it lacks. */
  const refusing = (from: number, ofNobody: Response | null = null) => {
    let bodies = 0
    return behind((pass) => async (request, ...rest) => {
      if (sendsBody(request)) bodies++
      if (ofNobody !== null && sendsBody(request) && request.url.includes('no-such-pod')) return wire(ofNobody)
      if (!creates(request) || bodies < from) return pass(request, ...rest)
      return wire(Response.json({ title: 'Forbidden', status: 403, detail: 'no more pods' }, { status: 403 }))
    })
  }
  const fuzzed = (open: OpenTarget) => fuzzTarget({ open, seed: 1, goesOn: (cases) => cases < 2_000 })

  test.each([0, 1_000])('from %s bodies on says so once and goes on', async (from) => {
    const { cases, findings, stopped, notes } = await fuzzed(await refusing(from))
    expect({ cases, findings, stopped }).toEqual({ cases: 2_000, findings: [], stopped: null })
    expect(notes).toEqual([
      expect.stringMatching(
        /^no pod could be made for .*updatePod.* \(createPod answered 403: "no more pods"\); bodies were sent to an unknown pod, /,
      ),
    ])
  })

  test('and answers bodies in a wrong way all the same has findings, which are found again', async () => {
    const target = () => refusing(0, Response.json({}, { status: 500 }))
    const { findings } = await fuzzed(await target())
    const [found] = findings
    expect(found).toMatchObject({ observed: 'status 500', isPodless: true })
    if (found === undefined) return
    const { seen } = await replayOn(await target(), { seed: found.seed, path: found.path })
    expect(seen).toMatchObject({ wrong: 'status 500', podless: 'createPod answered 403: "no more pods"' })
    expect(await curlOf((await target()).target, found)).toContain('POD=plumbline-no-such-pod')
  })
})

/** A response as a transport gives it. */
async function wire(response: Response) {
  const copy = response.clone()
  return { status: copy.status, headers: [...copy.headers], body: Buffer.from(await copy.arrayBuffer()) }
}

/** So many bodies from the first on, what is enumerated is over, and both loops have stages of their own. */
const pastEnumeration = 3_000

test('time stands still while a body is under way, though another loop sleeps', async () => {
  const reference = await openReference()
  const movedMs = new Set<number>()
  let bodies = 0
  const slow =
    (pass: Transport): Transport =>
    async (request, patience = {}) => {
      if (sendsBody(request)) {
        if (++bodies % 5 === 0 && patience.newConnection !== true) throw new TransportFailure('reset', 'closed')
        if (bodies > pastEnumeration) {
          const sentMs = reference.clock.now()
          await new Promise((resolve) => setTimeout(resolve, 3))
          movedMs.add(reference.clock.now() - sentMs)
        }
      }
      return pass(request, patience)
    }
  const goesOn = () => bodies < pastEnumeration + 200
  const run = await fuzzTarget({ open: await behind(slow, reference), seed: 1, goesOn })
  expect(run.stopped).toBeNull()
  expect(movedMs).toEqual(new Set([0]))
})

test('answers that take time do not stop a clock that is controlled', async () => {
  const slow = latitudes.filter(({ id }) => id === 'answers-take-time')
  const run = await fuzzTarget({ open: await openInProcess(slow), seed: 1, goesOn: (n) => n < 40 })
  expect(run).toMatchObject({ cases: 40, findings: [], stopped: null })
})

describe('on a clock that nobody moves', () => {
  const onRealClock = async (target = openReference()): Promise<OpenTarget> => {
    const open = await target
    return { ...open, clock: { ...open.clock, controlled: false } }
  }

  test('bodies go to a pod that does not exist until pods are there, up to a share of all', async () => {
    const sent: string[] = []
    const noting =
      (pass: Transport): Transport =>
      (request, ...rest) => {
        const isTrial = request.headers.some(([, value]) => value.includes('rule connection:'))
        if (sendsBody(request) && !isTrial) sent.push(request.url.includes('no-such-pod') ? 'none' : 'pod')
        return pass(request, ...rest)
      }
    const goesOn = (cases: number) => cases < 300
    const open = await behind(noting, onRealClock())
    const run = await fuzzTarget({ open, seed: 1, maxPodless: 20, goesOn })
    expect(run).toMatchObject({ findings: [], stopped: null, notes: [] })
    expect(sent.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 'none'))
    expect(new Set(sent.slice(20))).toEqual(new Set(['pod']))
  })

  test('a wrong response whose cause cannot be searched before the end is a note, and no finding', async () => {
    const { promise: cut, resolve: cutNow } = Promise.withResolvers<void>()
    let creations = 0
    const stopping =
      (pass: Transport): Transport =>
      async (request, ...rest) => {
        if (creates(request) && ++creations > 7) return new Promise(() => {})
        const answer = await pass(request, ...rest)
        const isMisread = request.method === 'PATCH' && Buffer.from(request.body ?? []).includes(':010')
        if (isMisread) setTimeout(cutNow, 50)
        return answer
      }
    const misread = openInProcess(misreading('pods-patch-fuzz-a-number-may-begin-with-0'))
    const { findings, notes, unsettled } = await fuzzTarget({
      open: await behind(stopping, onRealClock(misread)),
      seed: 5,
      maxPodless: 0,
      goesOn: () => true,
      cut,
    })
    expect(findings).toEqual([])
    expect(notes).toContainEqual(
      expect.stringMatching(/status 200 to .* the run ended before it came again: no finding/),
    )
    expect(unsettled).toBeGreaterThan(0)
  })
})

test('a quota that is used up is no finding, and ends the run with the reason', async () => {
  let bodies = 0
  const open = await behind((pass) => async (request, ...rest) => {
    if (!sendsBody(request) || ++bodies <= 50) return pass(request, ...rest)
    const body = Buffer.from(JSON.stringify({ title: 'Too Many Requests', status: 429, detail: 'slow down' }))
    return { status: 429, headers: [['Retry-After', '30']], body }
  })
  const run = await fuzzTarget({ open, seed: 1, goesOn: () => bodies < 500 })
  expect(run.findings).toEqual([])
  expect(run.stopped?.reason).toContain('the target answered 429')
  expect(run.limited).toBeGreaterThan(0)
})

describe('a target that closes connections', () => {
  /** The reference behind a transport that has no response for these requests. */
  const dropping = (isDropped: (request: WireRequest, patience: TransportOptions) => boolean) =>
    behind((pass) => async (request, patience = {}) => {
      if (isDropped(request, patience)) throw new TransportFailure('reset', 'the connection was closed')
      return pass(request, patience)
    })
  const fuzzed = (open: OpenTarget) => fuzzTarget({ open, seed: 3, goesOn: (cases) => cases < 800 })
  const textOf = ({ body }: WireRequest) => Buffer.from(body ?? []).toString()

  test('that were kept alive has no finding', async () => {
    let nth = 0
    // The pods themselves are made.
    const isOfCampaign = (request: WireRequest) => textOf(request) !== '{"action":"stop"}'
    const isDropped = (request: WireRequest, { newConnection = false }: TransportOptions) =>
      sendsBody(request) && ++nth % 5 === 0 && !newConnection && isOfCampaign(request)
    const run = await fuzzed(await dropping(isDropped))
    expect(run).toMatchObject({ cases: 800, findings: [], stopped: null, notes: [], limited: 0, unsettled: 0 })
  })

  test('whenever a body holds a certain thing has findings', async () => {
    const { findings, stopped } = await fuzzed(
      await dropping((request) => sendsBody(request) && textOf(request).includes('plumbline":null')),
    )
    expect(stopped).toBeNull()
    expect(new Set(findings.map(({ observed }) => observed))).toEqual(new Set(['no complete response']))
    expect(new Set(findings.map(mutatorOf))).toContain('extra-null')
  })

  test('for good has no finding, and one note', async () => {
    let requests = 0
    const { findings, stopped, notes } = await fuzzed(await dropping(() => ++requests > 300))
    expect(findings).toEqual([])
    expect(stopped?.isUnreachable).toBe(true)
    expect(notes).toContainEqual(expect.stringMatching(/^no complete response to .* more after it; nothing shows/))
  })

  test('whatever comes is given up, and soon', async () => {
    const { cases, stopped } = await fuzzed(await dropping(sendsBody))
    expect(stopped).toMatchObject({ reason: expect.stringContaining('no complete response'), isUnreachable: true })
    expect(cases).toBeLessThan(20)
  })
})

describe('a defect', () => {
  test.each([
    ['pods-action-body-fuzz-a-blank-after-an-action-is-left-out', 'triggerPodAction', 'padded', 'status 200'],
    ['pods-patch-fuzz-a-number-may-begin-with-0', 'updatePod', 'leading-zero', 'status 200'],
    ['pods-patch-fuzz-a-path-that-is-null-makes-the-api-answer-500', 'updatePod', 'null', 'status 500'],
    [
      'pods-patch-fuzz-a-network-mount-with-a-further-property-is-refused-and-its-path-changed',
      'updatePod',
      'extra',
      'and then mounts',
    ],
  ])(
    '%s is found, grouped, and found again by seed and path',
    { timeout: 120_000 },
    async (id, operation, mutator, observed) => {
      const target = await openInProcess(misreading(id))
      const { findings, cases } = await fuzzTarget({ open: target, seed: 5, goesOn: (done) => done < 2_000 })
      expect(cases).toBe(2_000)
      const found = findings.find(
        (each) => each.operation === operation && mutatorOf(each) === mutator && each.observed.includes(observed),
      )
      expect(found, JSON.stringify(findings)).toBeDefined()
      if (found === undefined) return
      const { seen } = await replayOn(await openInProcess(misreading(id)), { seed: found.seed, path: found.path })
      expect(seen).toMatchObject({ wrong: found.observed, cases: found.cases, undecided: null, podless: null })
      const healthy = await replayOn(await openReference(target.target), found)
      expect(healthy.seen).toMatchObject({ wrong: null, undecided: null })
    },
  )

  test('that shows in random bodies is shrunk', { timeout: 120_000 }, async () => {
    const found = new Map<string, FuzzFinding>()
    const shown = () => [...found.values()].find(({ path }) => path.includes(':'))
    await fuzzTarget({
      open: await openInProcess(misreading('pods-patch-fuzz-a-number-may-begin-with-0')),
      seed: 5,
      findings: found,
      goesOn: (done) => done < 4_000 && shown() === undefined,
    })
    const [shrunk] = shown()?.cases ?? []
    expect(shrunk?.mutator).toContain('leading-zero')
    expect(Buffer.from(shrunk?.bytes ?? []).toString()).not.toContain('name')
  })
})

test('shell lines make the pod and send the same bytes', async () => {
  const cases = [{ mutator: 'not-utf8', place: '$', bytes: Buffer.from('{"mounts":\xff}', 'latin1') }]
  const finding = { stage: 'updatePod pod network', cases, isPodless: false }
  const lines = await curlOf((await openReference()).target, finding)
  expect(lines).toContainEqual(expect.stringContaining(`printf '{"mounts":\\xff}' | curl -si -X PATCH`))
  expect(lines.join('\n')).toContain('"mounts":{"network":[{"volumeId":"vol-1"')
  const waits = lines.filter((line) => line.startsWith('for i in')).join('\n')
  expect(waits).toMatch(/"RUNNING"[\s\S]*"EXITED"/)
})

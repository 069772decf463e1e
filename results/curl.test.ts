import { describe, expect, it } from 'vitest'
import type { HookEvent } from '../harness/record/events.ts'
import { sampleCreation, sampleExchange, sampleStartMs } from './testing/sample.ts'
import { bash, header, linesOf, rule, serve } from './testing/shell.ts'

describe('the shell lines of a scenario', () => {
  it('make the pod anew, wait for its status and end with the request that failed', async () => {
    let looks = 0
    const { base, log } = await serve(({ method, path }) => {
      if (path === '/v2/pods') return { status: 201, body: { gpu: { id: 'A40' }, id: 'new-7', status: 'PROVISIONING' } }
      if (method === 'GET') return { status: 200, body: { id: 'new-7', status: ++looks < 3 ? 'STARTING' : 'EXITED' } }
      return { status: 200, body: { id: 'new-7', status: 'EXITED' } }
    })
    const maker = 'fixture:pod.exited'
    // A path has such an id encoded.
    const pod = (status: string) => ({ gpu: { id: 'A40' }, id: 'p:1', status })
    const path = '/v2/pods/p%3A1'
    const lines = await linesOf(base, [
      sampleCreation(1, maker, { base, body: { name: 'a' }, answer: pod('PROVISIONING') }),
      sampleExchange(2, maker, { base, path, answer: pod('PROVISIONING') }),
      sampleExchange(9, maker, { base, path, answer: pod('EXITED') }),
      sampleExchange(10, rule, {
        base,
        operation: 'triggerPodAction',
        path: `${path}/action`,
        body: { action: 'stop' },
        answer: pod('EXITED'),
      }),
    ])
    expect(lines.slice(1)).toEqual([
      `export KEY_FULL="\${KEY_FULL:?set it to keys.full (your target file)}"`,
      "export AGENT='plumbline/0.1.0 (run r0abc; rule pods.a.b)'",
      '# 1. createPod: 201 PROVISIONING in the run',
      `POD_1=$(curl -s -A "$AGENT" -X POST "$BASE/v2/pods" -H "Authorization: Bearer $KEY_FULL" -H 'Content-Type: application/json' --data-binary '{"name":"a"}' | grep -o '"id"[[:space:]]*:[[:space:]]*"[^"]*"' | sed -n 2p | cut -d '"' -f 4); echo "POD_1=$POD_1"`,
      '# 2. getPod: 200 EXITED in the run, after 2 requests, the first answered 200 PROVISIONING',
      `for i in $(seq 46); do curl -s -A "$AGENT" "$BASE/v2/pods/$POD_1" -H "Authorization: Bearer $KEY_FULL" | grep -q '"status"[[:space:]]*:[[:space:]]*"EXITED"' && break; sleep 1; done`,
      '# 3. triggerPodAction: 200 EXITED in the run',
      '# afterwards: curl -s -A "$AGENT" -X DELETE "$BASE/v2/pods/$POD_1" -H "Authorization: Bearer $KEY_FULL"',
      '# expected: status 409',
      '# observed: status 200',
      `curl -si -A "$AGENT" -X POST "$BASE/v2/pods/$POD_1/action" -H "Authorization: Bearer $KEY_FULL" -H 'Content-Type: application/json' --data-binary '{"action":"stop"}'`,
    ])
    const out = await bash(lines)
    expect(log.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /v2/pods',
      'GET /v2/pods/new-7',
      'GET /v2/pods/new-7',
      'GET /v2/pods/new-7',
      'POST /v2/pods/new-7/action',
    ])
    expect(header(log[4], 'Authorization')).toBe('Bearer secret-1')
    expect(header(log[4], 'User-Agent')).toBe('plumbline/0.1.0 (run r0abc; rule pods.a.b)')
    expect(header(log[4], 'traceparent')).toBeUndefined()
    expect(out).toContain('HTTP/1.1 200 OK')
    expect(out.endsWith('{"id":"new-7","status":"EXITED"}')).toBe(true)
  })

  it('make the pods that a list shows, whoever made them in the run', async () => {
    const made = new Map<string, string>()
    const { base, log } = await serve(({ method, path }) => {
      const [, id = ''] = /^\/v2\/pods\/([^/]+)/.exec(path) ?? []
      if (method === 'GET' && id === '') {
        return { status: 200, body: { pods: [...made].map(([id, status]) => ({ id, status })) } }
      }
      const pod = id === '' ? `new-${made.size + 1}` : id
      made.set(pod, path.endsWith('/action') ? 'EXITED' : (made.get(pod) ?? 'RUNNING'))
      return { status: 200, body: { id: pod, status: made.get(pod) } }
    })
    const listed = [
      { id: 'p1', status: 'EXITED' },
      { id: 'p2', status: 'RUNNING' },
      { id: 'of-others', status: 'RUNNING' },
    ]
    const stop = { base, operation: 'triggerPodAction' as const, path: '/v2/pods/p1/action', body: { action: 'stop' } }
    const lines = await linesOf(base, [
      sampleCreation(1, 'pods.other', { base, answer: { id: 'p1', status: 'RUNNING' } }),
      sampleCreation(2, 'pods.more', { base, answer: { id: 'p2', status: 'RUNNING' } }),
      sampleCreation(3, 'pods.more', { base, answer: { id: 'p3', status: 'RUNNING' } }),
      sampleExchange(4, 'pods.other', { ...stop, answer: { id: 'p1', status: 'RUNNING' } }),
      sampleExchange(5, 'pods.other', { base, answer: { id: 'p1', status: 'RUNNING' } }),
      sampleExchange(6, 'pods.other', { base, answer: { id: 'p1', status: 'EXITED' } }),
      sampleExchange(7, 'probe', { base, operation: 'listPods', path: '/v2/pods', answer: { pods: listed } }),
    ])
    const out = await bash(lines)
    expect(log.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /v2/pods',
      'POST /v2/pods',
      'POST /v2/pods/new-1/action',
      'GET /v2/pods/new-1',
      'GET /v2/pods',
    ])
    expect(out).toContain('{"pods":[{"id":"new-1","status":"EXITED"},{"id":"new-2","status":"RUNNING"}]}')
    expect(lines.filter((line) => line.startsWith('# afterwards: '))).toHaveLength(2)
  })

  it('of one pod among many bring it to its status and show the fault where it is, and only there', async () => {
    const maker = 'fixture:pod.exited'
    const act = (n: number, pod: string, owner: string, action: string, status: number) =>
      sampleExchange(n, owner, {
        base: '@BASE',
        operation: 'triggerPodAction',
        path: `/v2/pods/${pod}/action`,
        body: { action },
        status,
        answer: { id: pod, status: 'EXITED' },
      })
    const made = (n: number, pod: string) => [
      sampleCreation(n, maker, { base: '@BASE', body: { name: pod }, answer: { id: pod, status: 'RUNNING' } }),
      act(n + 1, pod, maker, 'stop', 200),
      sampleExchange(n + 2, maker, { base: '@BASE', path: `/v2/pods/${pod}`, answer: { id: pod, status: 'EXITED' } }),
    ]
    const refusals = (from: number, pod: string) =>
      Array.from({ length: 40 }, (_, at) => act(from + at, pod, rule, `odd-${at}`, 422))
    const events = [
      ...made(1, 'p1'),
      ...refusals(10, 'p1'),
      ...made(60, 'p2'),
      ...refusals(70, 'p2'),
      act(120, 'p2', rule, 'Start', 200),
    ]
    for (const isDefective of [true, false]) {
      let status = ''
      const { base: served, log } = await serve(({ method, path, body }) => {
        const { action = '' } = body.length === 0 ? {} : (JSON.parse(body.toString()) as { action?: string })
        if (method === 'POST' && path === '/v2/pods') status = 'RUNNING'
        else if (method === 'POST') {
          const asked = isDefective ? action.toLowerCase() : action
          if (asked === 'stop') status = 'EXITED'
          else if (asked !== 'start' || status !== 'EXITED') return { status: 422, body: {} }
        }
        return { status: 200, body: { id: 'new-1', status } }
      })
      const text = JSON.stringify(events).replaceAll('@BASE', served)
      const lines = await linesOf(served, JSON.parse(text))
      const out = await bash(lines)
      expect(log.filter(({ method, path }) => method === 'POST' && path === '/v2/pods')).toHaveLength(1)
      expect(log[1]?.body.toString()).toBe('{"action":"stop"}')
      expect(out).toContain(isDefective ? 'HTTP/1.1 200' : 'HTTP/1.1 422')
      expect(lines.length).toBeLessThan(80)
    }
  })

  it('run the rule again if it ran commands of the target file', async () => {
    const base = 'http://127.0.0.1:9'
    const lines = await linesOf(base, [
      sampleExchange(1, rule, { base: 'command:', path: 'deploy' }),
      sampleExchange(2, rule, { base, path: '/v2/of-the-run/status/j' }),
    ])
    expect(lines.slice(0, -1).every((line) => line.startsWith('#'))).toBe(true)
    expect(lines.at(-1)).toBe(`plumbline check --target target.yaml --only ${rule} --profile core --seed 7`)
  })

  it('keep the authorization as it was sent, missing and empty ones too', async () => {
    const { base, log } = await serve(() => ({ status: 401 }))
    const lines = await linesOf(base, [
      sampleExchange(1, rule, { base, path: '/v2/pods/a', headers: [] }),
      sampleExchange(2, rule, { base, path: '/v2/pods/b', headers: [['Authorization', '']] }),
      sampleExchange(3, rule, { base, path: '/v2/pods/c', headers: [['Authorization', 'Basic «key.full»x']] }),
      sampleExchange(4, rule, {
        base,
        path: '/v2/pods/d',
        headers: [['Authorization', 'Bearer it\'s $HOME `id` "!"']],
      }),
    ])
    await bash(lines)
    expect(log.map((one) => header(one, 'Authorization'))).toEqual([
      undefined,
      '',
      'Basic secret-1x',
      'Bearer it\'s $HOME `id` "!"',
    ])
  })

  it('send bodies byte by byte, with the pod ids of this time', async () => {
    const { base, log } = await serve(() => ({ status: 201, body: { id: 'new/8', status: 'RUNNING' } }))
    const text = `{"id":"p1","ids":"p12","quote":"it's $HOME \`id\` \\\\ !"}`
    const bytes = Buffer.from([0x7b, 0xff, 0x27, 0x25, 0x5c, 0x0a, 0x00])
    const patch = { base, operation: 'updatePod' as const }
    const lines = await linesOf(base, [
      sampleCreation(1, rule, { base, body: { text: '{}' }, answer: { id: 'p1' } }),
      sampleExchange(2, rule, { ...patch, path: '/v2/pods/x', body: { text } }),
      sampleExchange(3, rule, { ...patch, path: '/v2/pods/y', body: { base64: bytes.toString('base64') } }),
      sampleExchange(4, rule, { ...patch, path: '/v2/pods/z', body: { text: '@/etc/hostname' } }),
      sampleExchange(5, rule, { ...patch, path: '/v2/pods/a[1]{b}', headers: [] }),
    ])
    await bash(lines)
    expect(log.map(({ body }) => body)).toEqual([
      Buffer.from('{}'),
      Buffer.from(text.replace('"p1"', '"new/8"')),
      bytes,
      Buffer.from('@/etc/hostname'),
      Buffer.alloc(0),
    ])
    expect(log[4]?.method).toBe('PATCH')
    expect(log[4]?.path).toBe('/v2/pods/a[1]{b}')
  })

  it('have the example key of a target file as default', async () => {
    const { base, log } = await serve(() => ({ status: 401 }))
    const events = [sampleExchange(1, rule, { base, path: '/v2/pods', headers: [['Authorization', '«key.full»']] })]
    const lines = await linesOf(base, events, 'real', 'status 401', rule, { 'key.full': '' })
    expect(lines).toContain(`export KEY_FULL=\${KEY_FULL:-plumbline-example-''full}`)
    await bash(lines, {})
    expect(log.at(-1)?.headers).toContain('plumbline-example-full')
  })

  it('advance a clock that the target lets be controlled', async () => {
    let now = sampleStartMs
    const { base, log } = await serve(({ method, path, body }) => {
      if (path !== '/clock')
        return { status: now > sampleStartMs + 4_000 ? 404 : 200, body: { id: 'p1', status: 'RUNNING' } }
      if (method === 'POST') now += Math.min(JSON.parse(body.toString()).advanceMs, 2_500)
      return { status: 200, body: { nowMs: now, nextMs: null, busy: [], open: 0 } }
    })
    const last = sampleExchange(30, rule, { base, status: 404, answer: { title: 'gone' } })
    const lines = await linesOf(
      base,
      [
        sampleExchange(1, rule, { base, path: '/v2/pods' }),
        { type: 'clock', owner: rule, wait: 1, nowMs: sampleStartMs + 7_020 },
        { type: 'clock', owner: 'pods.other', wait: 1, nowMs: sampleStartMs + 99_000 },
        sampleExchange(7, rule, { base, at: 7, path: '/v2/pods/q' }),
        sampleExchange(8, rule, { base }),
        last,
      ],
      'remote',
    )
    await bash(lines)
    expect(now).toBeGreaterThanOrEqual(sampleStartMs + 5_980)
    expect(lines).toContain('wait_ms 5980')
    expect(lines).toContain('export CLOCK="$BASE/clock"')
    expect(
      log.filter(({ path, method }) => path === '/clock' && method === 'POST').map(({ body }) => body.toString()),
    ).toEqual(['{"advanceMs":5980}', '{"advanceMs":3480}', '{"advanceMs":980}'])
    expect(lines.some((line) => line.includes('| grep -q 404 && break; wait_ms 1000;'))).toBe(true)
  })

  it('say where the run called the hook of a pod', async () => {
    const base = 'http://127.0.0.1:9'
    const hook: HookEvent = { type: 'hook', owner: rule, hook: 1, pod: 'p1', status: 'ERROR', failure: null }
    const looks = (from: number, status: string) =>
      [from, from + 1].map((n) => sampleExchange(n, rule, { base, answer: { id: 'p1', status } }))
    const lines = await linesOf(base, [...looks(1, 'RUNNING'), hook, { ...hook, pod: 'p2' }, ...looks(3, 'ERROR')])
    expect(lines.filter((line) => line.startsWith('# '))).toEqual([
      '# 1. getPod: 200 RUNNING in the run, after 2 requests, the first answered 200 RUNNING',
      expect.stringMatching(/^# the run called the hook of ERROR for this pod; plumbline check .* does$/),
      '# 2. getPod: 200 ERROR in the run, after 2 requests, the first answered 200 ERROR',
      '# expected: status 409',
      '# observed: status 200',
    ])
  })

  it('carry nothing of the target into the shell', async () => {
    const { base, log } = await serve(() => ({ status: 200, body: {} }))
    const evil = '"; touch pwned #\n$(touch pwned) `touch pwned` \' \u2028x'
    const lines = await linesOf(
      base,
      [
        sampleExchange(1, rule, { base, answer: { id: 'p1', status: 'A' } }),
        sampleExchange(2, rule, { base, answer: { id: 'p1', status: evil } }),
      ],
      'real',
      evil,
    )
    const out = await bash([...lines.map((line) => line.replace(/seq \d+/, 'seq 1')), 'ls pwned 2>&1'])
    expect(out).toContain('No such file')
    expect(lines.every((line) => !/[\n\u2028]/.test(line))).toBe(true)
    expect(log.every(({ path }) => path === '/v2/pods/p1')).toBe(true)
  })

  it('make only what the last request refers to, and for the same rule, though the target gives one id twice', async () => {
    const creation = (n: number, owner: string, name: string, id = 'p1') =>
      sampleCreation(n, owner, { body: { name }, answer: { id } })
    const base = 'https://api.example.test'
    const names = (lines: readonly string[]) => lines.flatMap((line) => /"name":"(\w+)"/.exec(line)?.[1] ?? [])
    const others = [creation(1, 'pods.other', 'other'), creation(2, 'fixture:pod.running', 'shared')]
    const refused = sampleCreation(9, rule, { body: { name: 'bad' }, status: 500 })
    const act = sampleExchange(6, rule, { operation: 'updatePod', path: '/v2/pods/p3', body: {}, status: 200 })
    const own = [creation(3, rule, 'own'), creation(4, rule, 'sibling', 'p2'), creation(5, rule, 'case', 'p3'), act]
    expect(names(await linesOf(base, [...others, ...own, sampleExchange(7, rule)]))).toEqual(['own', 'sibling'])
    expect(names(await linesOf(base, [...others, sampleExchange(7, rule)]))).toEqual(['shared'])
    expect(names(await linesOf(base, [...others, ...own, refused]))).toEqual(['bad'])
    const seen = sampleCreation(9, 'pods.other', { body: { name: 'bad' }, status: 500 })
    expect(names(await linesOf(base, [...others, seen]))).toEqual(['bad'])
  })

  it('take a key from the variable that the target file names', async () => {
    const { base, log } = await serve(() => ({ status: 200, body: {} }))
    const patch = { base, operation: 'updatePod' as const, body: { text: '{"args":"«key.full»"}' } }
    const variables = { 'key.full': 'API_KEY' }
    const lines = await linesOf(base, [sampleExchange(1, rule, patch)], 'real', 'status 200', rule, variables)
    expect(lines[1]).toBe(`export API_KEY="\${API_KEY:?set it to keys.full (your target file)}"`)
    await bash(lines, { API_KEY: 'secret-2' })
    expect(header(log[0], 'Authorization')).toBe('Bearer secret-2')
    expect(log[0]?.body.toString()).toBe('{"args":"secret-2"}')
  })

  it('name the served reference where the run had it in process', async () => {
    const lines = await linesOf(
      'http://plumbline.test',
      [sampleExchange(1, rule, { base: 'http://plumbline.test' })],
      'virtual',
    )
    expect(lines[0]).toBe(
      'export BASE=http://127.0.0.1:8080  # after this serves the reference: plumbline serve --port 8080 --clock control',
    )
    expect(lines.at(-1)).toBe('curl -si -A "$AGENT" "$BASE/v2/pods/p1" -H "Authorization: Bearer $KEY_FULL"')
  })
})

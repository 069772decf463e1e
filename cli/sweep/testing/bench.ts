import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAdaptorServer } from '@hono/node-server'
import type { ResourceLine } from '../../../harness/record/resources.ts'
import { listening } from '../../../harness/testing/listening.ts'
import { referenceTarget } from '../../../proof/instance.ts'
import { defaultKeys } from '../../../reference/auth/accounts.ts'
import { createEmbedded } from '../../../reference/embedded.ts'
import type { Fetch } from '../../../reference/index.ts'
import { composeOptions } from '../../../reference/options.ts'
import type { Target } from '../../../target/types.ts'
import { nameOf, readLedger, resourcesFile, runFolder } from '../../shared/run/runs.ts'
import { type Swept, sweepRun } from '../../shared/sweep/sweep.ts'
import type { Terminal } from '../../shared/terminal.ts'

/** The run that is swept. */
export const run = 'r0123456789'

/** A pod or a job as the API shows it. */
export interface Shown {
  readonly id: string
  readonly status: string
}

export type Bench = Awaited<ReturnType<typeof openBench>>

/** A served reference, and an empty folder in which a run has a ledger. */
export async function openBench() {
  const cwd = mkdtempSync(join(tmpdir(), 'plumbline-sweep-'))
  let serve = createEmbedded((options) => composeOptions(options, { style: { lockedTerminate: 'refuse' } })).fetch
  const url = await listening(createAdaptorServer({ fetch: (request) => serve(request) }) as Server)
  const standard = referenceTarget(url, 'real')
  const target: Target = { ...standard, tolerances: { ...standard.tolerances, visibleMs: 0 } }

  async function call<Body>(method: string, path: string, body?: object): Promise<Body> {
    const headers = { authorization: `Bearer ${defaultKeys.full}`, 'content-type': 'application/json' }
    const response = await fetch(`${url}/v2/${path}`, { method, headers, body: JSON.stringify(body) ?? null })
    return (await response.json()) as Body
  }

  function ledger(lines: readonly ResourceLine[]): void {
    mkdirSync(runFolder(cwd, run), { recursive: true })
    writeFileSync(resourcesFile(cwd, run), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  }

  return {
    cwd,
    url,
    target,
    call,
    /** Writes the ledger of the run. */
    ledger,
    /** Changes what is served. */
    serve(change: (fetch: Fetch) => Fetch): void {
      serve = change(serve)
    },
    async create(name: string): Promise<string> {
      const { id } = await call<Shown>('POST', 'pods', { name, image: 'x', cpu: { id: 'cpu3c', vcpuCount: 2 } })
      return id
    },
    /** The names of all pods. */
    async names(): Promise<string[]> {
      const { pods } = await call<{ pods: { name: string }[] }>('GET', 'pods')
      return pods.map(({ name }) => name).sort()
    },
    /** Submits a job that takes a minute. */
    submit: (endpoint: string) =>
      call<Shown>('POST', `${endpoint}/run`, { input: { plumbline: { v: 1, steps: [{ sleepMs: 60_000 }] } } }),
    /** Sweeps the run, with changes of its target. */
    swept: (change: Partial<Target> = {}, leaveKept = false): Promise<Swept> =>
      sweepRun({ ledger: readLedger(cwd, run), target: { ...target, ...change }, leaveKept }),
    /** A ledger of a target whose queue does not answer, and what a command says; `more` may give the target other planes. */
    saying(lines: readonly ResourceLine[], more = '', podsUrl = '') {
      const plane = 'queue: {url: "http://127.0.0.1:1", endpoints: {normal: a}}'
      writeFileSync(join(cwd, 'target.yaml'), `plumbline: 1\n${plane}\n${more}\nkeys:\n  full: \${KEY}\n`)
      ledger([{ kind: 'run', run, targetFile: join(cwd, 'target.yaml'), urls: { pods: podsUrl } }, ...lines])
      const out: string[] = []
      const err: string[] = []
      const say = (lines: string[]) => (line: string) => void lines.push(line)
      const environment = { KEY: defaultKeys.full }
      return { out, err, terminal: { cwd, environment, out: say(out), err: say(err) } as unknown as Terminal }
    },
  }
}

export function pod(name: string, id: string | null, state: 'requested' | 'created' | 'removed' | 'kept' = 'created') {
  return { kind: 'pod', name, id, state } as ResourceLine
}

/** A job of the ledger: requested without an id, else created, unless stated. */
export function job(
  name: string,
  id: string | null,
  more: { endpoint?: string; state?: 'removed'; endsMs?: number } = {},
) {
  return { kind: 'job', endpoint: 'normal', name, id, state: id === null ? 'requested' : 'created', ...more } as const
}

/** The end of each resource by its name. */
export function endsOf({ ends }: Swept): Record<string, unknown> {
  return Object.fromEntries(ends.map(({ of, end }) => [nameOf(of), end]))
}

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'

/** A server of `server.ts` in its own process, with a pod and a key. */
export interface Served {
  readonly child: ChildProcess
  readonly port: number
  readonly id: string
  readonly key: string
}

export async function startServer(kind: 'reference' | 'bare'): Promise<Served> {
  const child = fork(new URL('./server.ts', import.meta.url), [kind])
  const [told] = await once(child, 'message')
  return { child, ...told }
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
}

import { jsonIn } from '../../harness/exchange/exchange.ts'
import type { WorkerJob, WorkerTools } from '../../reference/index.ts'

/** Messages to a worker process, one JSON line each (`spec/worker.md`, heading The local process protocol). */
export type Told =
  | {
      readonly type: 'execute'
      readonly job: WorkerJob
      readonly env: WorkerTools['env']
      readonly gpu: WorkerTools['gpu']
    }
  | { readonly type: 'stop'; readonly execution: string }

/** Messages from a worker process. */
export type Said =
  | { readonly type: 'ready'; readonly v: 1; readonly port?: number }
  | { readonly type: 'partial'; readonly execution: string; readonly partial: unknown }
  | { readonly type: 'completed'; readonly execution: string; readonly output?: unknown }
  | { readonly type: 'failed'; readonly execution: string; readonly message: string }
  | { readonly type: 'stopped'; readonly execution: string }

/** Reads a line of a worker process; null if it is not a known message. */
export function readSaid(line: string): Said | null {
  const value = jsonIn(line)
  if (typeof value !== 'object' || value === null) return null
  const { type, v, execution, message } = value as Record<string, unknown>
  if (type === 'ready') return v === 1 ? (value as Said) : null
  if (typeof execution !== 'string') return null
  if (type === 'partial') return 'partial' in value ? (value as Said) : null
  if (type === 'failed') return typeof message === 'string' ? (value as Said) : null
  return type === 'completed' || type === 'stopped' ? (value as Said) : null
}

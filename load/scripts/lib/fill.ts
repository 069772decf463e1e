import type { ScriptPlan, ScriptRequest } from './types.ts'

/** A request with the ids of its endpoint and job, and the time for which it is to be held. */
export function filled(
  { method, path, body }: ScriptRequest,
  { ids, holdMs }: Pick<ScriptPlan, 'ids' | 'holdMs'>,
  endpoint: string,
  job: string,
): ScriptRequest {
  const fill = (text: string) =>
    text
      .replaceAll('{endpoint}', ids[endpoint] ?? '')
      .replaceAll('{job}', job)
      .replaceAll('{holdMs}', String(holdMs))
  return { method, path: fill(path), body: body === null ? null : fill(body) }
}

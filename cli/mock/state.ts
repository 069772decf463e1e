import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { membersOf } from '../../harness/exchange/read.ts'
import { defaultEndpoints, defaultKeys, type EndpointOffer, type Fetch } from '../../reference/index.ts'
import { UsageError } from '../errors.ts'
import { codeOf } from '../places.ts'

/** The endpoints and pods that a reference begins with (`--state`). */
export interface InitialState {
  readonly endpoints: readonly EndpointOffer[]
  /** Bodies of creations, made with the key `full`. */
  readonly pods: readonly unknown[]
}

const standard = { workersMin: 0, workersMax: 3, coldStartMs: 2_000, idleTimeoutMs: 5_000 }
const numbers: readonly string[] = [...Object.keys(standard), 'executionTimeoutMs']
const example = 'endpoints: {my-endpoint: {workersMax: 3}} and pods: [{name: first, image: alpine, gpu: {id: gpu-a}}]'

/** Reads a state file. Its endpoints are there beside the usual ones. @throws UsageError if the file is not a state file. */
export function readState(file: string): InitialState {
  const wrong = (what: string) => new UsageError(`${file}: ${what}; a state file has ${example}`)
  const { endpoints = {}, pods = [], ...others } = membersOf(contentOf(file)) ?? { wrong: true }
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw wrong(unknown === 'wrong' ? 'it is not a mapping' : `unknown key ${unknown}`)
  if (!Array.isArray(pods)) throw wrong('pods is not a list')
  const entries = membersOf(endpoints)
  if (entries === null) throw wrong('endpoints is not a mapping from ids to options')
  const offers = Object.entries(entries).map(([id, options]) => ({ id, ...standard, ...optionsOf(id, options) }))
  return { endpoints: [...defaultEndpoints.filter(({ id }) => !(id in entries)), ...offers], pods }

  function optionsOf(id: string, options: unknown): Partial<typeof standard> {
    const members = options === null ? {} : membersOf(options)
    const invalid = Object.entries(members ?? {}).find(
      ([name, value]) => !numbers.includes(name) || !Number.isSafeInteger(value) || Number(value) < 0,
    )
    if (members === null || invalid !== undefined) {
      const what = invalid === undefined ? 'its options' : invalid[0]
      throw wrong(`${what} of endpoint ${id} must be one of ${numbers.join(', ')}, each a whole number`)
    }
    return members as Partial<typeof standard>
  }
}

/** Creates the pods of a state. @throws UsageError with what the reference says of one that it refuses. */
export async function createPods(fetch: Fetch, { pods }: InitialState): Promise<void> {
  for (const [place, body] of pods.entries()) {
    const headers = { authorization: `Bearer ${defaultKeys.full}`, 'content-type': 'application/json' }
    const request = new Request('http://localhost/v2/pods', { method: 'POST', headers, body: JSON.stringify(body) })
    const response = await fetch(request)
    if (response.status >= 300)
      throw new UsageError(`pod ${place + 1} of the state is refused: ${await response.text()}`)
  }
}

function contentOf(file: string): unknown {
  try {
    return parse(readFileSync(file, 'utf8'))
  } catch (error) {
    const why = { ENOENT: 'there is no such file', EISDIR: 'it is a folder' }[codeOf(error)]
    throw new UsageError(`${file} cannot be read: ${why ?? (error as Error).message.split('\n')[0]}`)
  }
}

import { mkdtempSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getRequestListener } from '@hono/node-server'
import type { ClockControl } from '../../../harness/clock/types.ts'
import { listening } from '../../../harness/testing/listening.ts'
import { createInstance, referenceTarget } from '../../../proof/instance.ts'
import { createControlHandler, type Fetch } from '../../../reference/index.ts'
import type { Target } from '../../../target/types.ts'
import { writeTarget } from '../../../target-file/write.ts'

interface Served {
  /** Wraps the way to the reference. */
  readonly wrap?: (fetch: Fetch) => Fetch
  /** Changes its target file. */
  readonly file?: (target: Target) => Target
}

/** `fetch`, which also answers requests to the clock, at the address that the target file of the reference names. */
export function withClock(fetch: Fetch, control: ClockControl): Fetch {
  const clock = createControlHandler(control)
  return (request) => (new URL(request.url).pathname === '/plumbline/clock' ? clock(request) : fetch(request))
}

/**
 * The reference on a port, on a controlled clock and without a deployment tool; `cwd` is a new folder
 * with its file `target.yaml`. `fetch` is the way to it past the wrapper.
 */
export async function serveHere({ wrap = (fetch) => fetch, file = (target) => target }: Served) {
  const { fetch, control } = createInstance()
  const url = await listening(createServer(getRequestListener(withClock(wrap(fetch), control))))
  const cwd = mkdtempSync(join(tmpdir(), 'plumbline-served-'))
  writeFileSync(join(cwd, 'target.yaml'), writeTarget(file({ ...referenceTarget(url, 'control'), deploy: null })))
  return { cwd, fetch, url }
}

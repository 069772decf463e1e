import type { Target } from '../../target/types.ts'
import { type Earlier, misreadStatuses } from '../client/connections.ts'
import { allPlanes, planeOfOperation, sectionOf } from '../planes/index.ts'
import type { Plane } from '../planes/plane.ts'
import { Inconclusive } from '../rule/outcome.ts'
import type { Owner } from './owner.ts'

/** The scenario waits for a trial, so a trial waits for no quota; a 429 shows nothing. */
const trial = { raw429: true, atOnce: true } as const

/**
 * Sends a refused request again, and then a read on the same connection. If the read looks misread, sends it on a new
 * connection too, and then both requests again: the target is out of step if only the connection explains the responses.
 */
export async function misreadsBodyOf({ outgoing }: Earlier, owner: Owner, target: Target): Promise<boolean> {
  const plane = readableAt(new URL(outgoing.url).origin, planeOfOperation(outgoing.operation), target)
  const [probe] = plane?.probes ?? []
  if (plane === undefined || probe === undefined) return false
  const section = sectionOf(target, plane.name)
  const isMisread = async (connection: object) => {
    const call = probe.call?.(section as never)
    const { status } = await owner
      .on(plane.name)
      .as('full')
      .call(probe.operation, { ...call, ...trial, connection })
    return misreadStatuses.has(status)
  }
  const isMisreadAfter = async (connection: object) => {
    await owner.sender.send({ ...outgoing, ...trial, connection })
    return isMisread(connection)
  }
  try {
    return (await isMisreadAfter({})) && !(await isMisread({})) && (await isMisreadAfter({}))
  } catch (error) {
    if (error instanceof Inconclusive) return false
    throw error
  }
}

/** The plane of a request, or another one, whose address has this origin; a load-balanced endpoint has its own. */
function readableAt(origin: string, own: Plane, target: Target): Plane | undefined {
  return [own, ...allPlanes()].find(({ name }) => {
    const url = sectionOf(target, name)?.url
    return url != null && new URL(url).origin === origin
  })
}

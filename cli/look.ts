import { createDirect } from '../harness/client/direct.ts'
import { sectionOf } from '../harness/planes/index.ts'
import type { Plane } from '../harness/planes/plane.ts'
import { probeTarget, refusalOf } from '../harness/run/probe.ts'
import { overHttp } from '../harness/transport/http.ts'
import type { Target } from '../target/types.ts'
import { version } from './home.ts'

/** Looks at planes of a target as a run does before it begins. Returns why nothing could be judged there, or null. */
export async function refusalBefore(
  target: Target,
  isJudged: (plane: string) => boolean,
  purpose: string,
): Promise<ReturnType<typeof refusalOf>> {
  const http = overHttp(target.tolerances)
  const userAgent = `plumbline/${version()} (${purpose})`
  const directTo = (plane: Plane) => {
    const section = sectionOf(target, plane.name)
    if (section === null) throw new Error(`the target has no ${plane.title}`)
    return createDirect({ transport: http.send, plane, section, token: target.keys.full ?? '', userAgent })
  }
  try {
    return refusalOf(await probeTarget(target, isJudged, directTo), target)
  } finally {
    await http.close()
  }
}

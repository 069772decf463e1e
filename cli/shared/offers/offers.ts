import type { Document } from 'yaml'
import { rules as ledger } from '../../../generated/rules.ts'
import { absenceOf, claimOf, needsOf } from '../../../harness/claims/claims.ts'
import { allNeeds, isGiven } from '../../../harness/claims/needs.ts'
import { isSuccess, jsonOf } from '../../../harness/exchange/exchange.ts'
import { allPlanes, isPlane, mayBeHeld, sectionOf, urlsOf } from '../../../harness/planes/index.ts'
import type { Look, Plane } from '../../../harness/planes/plane.ts'
import { TransportFailure } from '../../../harness/transport/types.ts'
import type { PlaneSection, Target } from '../../../target/types.ts'
import { isLoopback } from '../../../target/values.ts'
import { asking } from '../ask.ts'
import type { Terminal } from '../terminal.ts'
import { addTo, lacks } from './additions.ts'

/**
 * The line that claims a capability that was seen, or a key whose variable is set; else why there is none. `lack` is the part that
 * the response of a plane lacks.
 */
export type Offer = { readonly line: string; readonly lack?: string } | { readonly reason: string }

/**
 * Asks a target by reads only what it offers for its planes, beyond what its file claims or declares absent; a key is offered if
 * the variable of its line is set. Capabilities that a default claims and that have a read are included.
 */
export async function offersOf(
  target: Target,
  { environment }: Terminal,
  purpose: string,
): Promise<ReadonlyMap<string, Offer>> {
  const offers = new Map<string, Offer>()
  for (const need of needsWithin(target)) {
    const { line = null } = allNeeds()[need] ?? {}
    if (line === null || claimOf(target, need) !== 'unclaimed') continue
    const [, variable] = /\$\{(\w+)\}/.exec(isKey(need) ? line : '') ?? []
    const reason = isPlane(need) ? 'not given' : need === 'receiver' ? receiverReason(target) : 'no read shows it'
    if (variable === undefined) offers.set(need, { reason })
    else offers.set(need, environment[variable] ? { line } : { reason: `${variable} is not set` })
  }
  await asking(target, purpose, async (clientOf) => {
    for (const plane of allPlanes()) {
      const section = sectionOf(target, plane.name)
      if (section === null) continue
      const [probe] = plane.probes
      // Nobody advances a controlled clock meanwhile.
      if (probe !== undefined && (target.clock === 'real' || !mayBeHeld(probe.operation))) {
        const line = (json: unknown) => (probe.resembles(json) ? plane.name : null)
        offers.set(plane.name, await seen(plane, section, { ...probe, line }, clientOf(plane)))
      }
      for (const [need, { look }] of Object.entries(plane.capabilities)) {
        if (look === undefined || absenceOf(target.absent, need) !== undefined) continue
        offers.set(need, await seen(plane, section, look, clientOf(plane)))
      }
    }
  })
  return offers
}

/** Adds to a target file what is offered of these needs; default: all. Returns a sentence for each addition. */
export function addOffers(
  document: Document,
  offers: ReadonlyMap<string, Offer>,
  isWanted: (need: string) => boolean = () => true,
): string[] {
  return [...offers].flatMap(([need, offer]) => {
    if (!('line' in offer) || !isWanted(need) || !lacks(document.toJS(), offer.line)) return []
    addTo(document, offer.line)
    return [`${need} ${isKey(need) ? 'has a variable that is set' : 'was seen'}: ${offer.line}`]
  })
}

function isKey(need: string): boolean {
  return need.startsWith('key.')
}

/** A target in a container has the address of this machine, too, but does not reach its loopback. */
function receiverReason(target: Target): string {
  const isHere = urlsOf(target).some((url) => URL.canParse(url) && isLoopback(new URL(url).hostname))
  return isHere
    ? "no read shows it; if the target is in no container, {listen: '127.0.0.1:0'} will do"
    : 'no read shows it'
}

/** Warnings about planes that were not seen, and about defaults of the target file that no response confirms. */
export function warningsAbout(target: Target, offers: ReadonlyMap<string, Offer>) {
  const planes = allPlanes().flatMap(({ name, probeKeys }) => {
    const [offer, url] = [offers.get(name), sectionOf(target, name)?.url ?? null]
    if (offer === undefined || 'line' in offer || url === null) return []
    return [`${name} was not seen at ${url}: ${offer.reason}; check ${probeKeys}, and the log of the target`]
  })
  const defaults = Object.entries(allNeeds()).flatMap(([need, { lineWithout }]) => {
    const offer = offers.get(need)
    if (lineWithout === undefined || offer === undefined || 'line' in offer || !isGiven(target, need)) return []
    return [
      `${need} is claimed by default, but ${offer.reason}; for a target without it, write ${lineWithout} and absent: {${need}: REASON}`,
    ]
  })
  const lacking = [...offers.values()].flatMap((offer) => ('lack' in offer ? [offer.lack] : []))
  return { planes, defaults: [...lacking, ...defaults] }
}

/** All planes, and all that a rule of given planes asks for, sorted; the needs of other planes come once those are given. */
export function needsWithin(target: Target): string[] {
  const asked = (row: (typeof ledger)[number]): readonly string[] => [...needsOf(row), ...row.parts]
  const isOpen = (need: string) => !isPlane(need) || claimOf(target, need) === 'given'
  const open = ledger.filter((row) => needsOf(row).every(isOpen))
  return [...new Set([...ledger.flatMap(asked).filter(isPlane), ...open.flatMap(asked)])].sort()
}

async function seen(
  plane: Plane,
  section: PlaneSection,
  look: Look<never> & Pick<Plane<never>['probes'][number], 'lackIn'>,
  send: ReturnType<Parameters<Parameters<typeof asking>[2]>[0]>,
): Promise<Offer> {
  const { method = '', path = '' } = { ...plane.operations[look.operation], path: section.paths[look.operation] }
  // The document is at the address itself.
  const asked = `${method} ${path === '' ? section.url : path}`
  try {
    const { status, body } = await send(look.operation, look.call?.(section as never))
    if (!isSuccess(status)) return { reason: `${asked} returned ${status}` }
    const json = jsonOf(body)
    const line = look.line(json, section as never)
    if (line === null) return { reason: `the response to ${asked} does not show it` }
    const lack = look.lackIn?.(json, section as never) ?? null
    return { line, ...(lack !== null && { lack }) }
  } catch (error) {
    if (!(error instanceof TransportFailure)) throw error
    return { reason: `${asked}: ${error.message}` }
  }
}

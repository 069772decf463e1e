import type { PodCreate } from '../../generated/api.ts'
import type { Caller } from '../auth/accounts.ts'
import { Refusal } from '../http/refusal.ts'
import type { PodService } from './service.ts'

/**
 * The data center of a new pod: that of its network volume, else the first one asked for, else the first of all.
 * @throws Refusal if a volume or a data center is unknown, or the volume is in none of those asked for.
 */
export function choosePlacement(body: PodCreate, caller: Caller, service: PodService): string {
  const { dataCenterIds, mounts } = body
  const { dataCenters, parts, style, volumes } = service
  const asked = dataCenterIds ?? []
  if (!asked.every((id) => dataCenters.includes(id)) && parts.enforces('unknownDataCenter', body)) {
    throw new Refusal(style.unknownDataCenter, 'unknown data center')
  }
  const volumeId = mounts?.network?.[0]?.volumeId
  // One that is no text is wrong for its form, and the validation has told.
  if (typeof volumeId !== 'string') return asked[0] ?? dataCenters[0]
  const volume = volumes.get(volumeId)
  if (volume === undefined || volume.user !== caller.user) {
    if (parts.enforces('unknownVolume', body)) throw new Refusal(style.unknownVolume, 'unknown volume')
    return asked[0] ?? dataCenters[0]
  }
  const isElsewhere = asked.length > 0 && !asked.includes(volume.dataCenterId)
  if (isElsewhere && style.volumeElsewhere !== 'volume-wins') {
    if (!parts.enforces('volumeElsewhere', body)) return asked[0] ?? dataCenters[0]
    throw new Refusal(style.volumeElsewhere, 'the volume is in none of the data centers asked for')
  }
  return volume.dataCenterId
}

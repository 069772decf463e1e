import type { FileSection } from '../target/section.ts'
import type { ReceiverAddress } from '../target/types.ts'
import { addressOf, type Surroundings } from '../target/values.ts'

/** The listener of the suite and the address at which the target reaches it. A loopback address needs no `url`. */
export function receiverOf({ listen, url }: FileSection<'receiver'>, around: Surroundings): ReceiverAddress {
  const port = Number(listen.split(':').at(-1))
  if (port > maxPort) {
    around.fault(['receiver', 'listen'], `receiver.listen: expected a port of at most ${maxPort}, got ${port}`)
  }
  if (url !== undefined) {
    // No key is sent to the receiver, so plain http reveals nothing.
    return { listen, url: addressOf(url, true, ['receiver', 'url'], around) }
  }
  if (!/^(localhost|127(\.\d+){3}|\[::1\]):/.test(listen)) {
    around.fault(
      ['receiver', 'listen'],
      'receiver.url is missing; add the address at which the target reaches this listener',
    )
  }
  return { listen, url: '' }
}

const maxPort = 65_535

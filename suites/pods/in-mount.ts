import { type Members, membersOf } from '../../harness/exchange/read.ts'
import { put } from '../shared/table.ts'

type Change = (valid: Members) => unknown

/** Puts a value into the network mount of a body, at a path such as `path`. A body without one does not fit. */
export function inNetwork(path: string, value?: unknown): Change {
  return (valid) => (networksIn(valid).length > 0 ? put(`mounts.network.0${stepTo(path)}`, value)(valid) : undefined)
}

/** The same with its persistent mount. */
export function inPersistent(path: string, value?: unknown): Change {
  return (valid) =>
    'persistent' in mountsIn(valid) ? put(`mounts.persistent${stepTo(path)}`, value)(valid) : undefined
}

/** The same with its mount, of either kind. */
export function inMount(path: string, value?: unknown): Change {
  return (valid) => inNetwork(path, value)(valid) ?? inPersistent(path, value)(valid)
}

/** The body with two network mounts: its own, and the same volume at another path. */
export function twoNetworks(valid: Members): unknown {
  const [own] = networksIn(valid)
  return { ...valid, mounts: { network: [own, { ...own, path: `${own?.path}-c` }] } }
}

/** The list of network mounts of a body; empty if it has none. */
export function networksIn(body: Members): readonly { readonly path?: unknown }[] {
  const { network } = mountsIn(body)
  return Array.isArray(network) ? network : []
}

function mountsIn({ mounts }: Members): Members {
  return membersOf(mounts) ?? {}
}

function stepTo(path: string): string {
  return path === '' ? '' : `.${path}`
}

import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ContainerTools } from '../../../reference/index.ts'

/** The file systems of containers as folders below one: a folder for each disk and each storage. */
export function createFolders(base: string) {
  const known = new Map<string, string>()
  /** The mounts of the last container of each disk, which leaves them behind. */
  const mounted = new Map<string, readonly string[]>()

  function folderOf(id: string): string {
    const folder = known.get(id) ?? join(base, String(known.size + 1))
    known.set(id, folder)
    mkdirSync(folder, { recursive: true })
    return folder
  }

  return {
    /** The folder that stands for the root of a container, with its mounts as links. */
    rootOf({ disk, mounts }: Pick<ContainerTools, 'disk' | 'mounts'>): string {
      const root = folderOf(disk)
      for (const link of mounted.get(disk) ?? []) rmSync(link, { force: true })
      const links = Object.entries(mounts).map(([path, storage]) => {
        // A mount path may have dots and slashes at its end.
        const link = join(root, join('/', path).replace(/\/+$/, ''))
        mkdirSync(dirname(link), { recursive: true })
        symlinkSync(folderOf(storage), link)
        return link
      })
      mounted.set(disk, links)
      return root
    },
  }
}

import { createCipheriv, hash } from 'node:crypto'
import { createWriteStream, mkdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ProjectTree } from './types.ts'

/** Writes a project into a folder: its `project.json`, and its other files beside it. */
export async function writeProject(folder: string, { project, files }: ProjectTree): Promise<void> {
  writeFileSync(join(folder, 'project.json'), `${JSON.stringify(project, null, 2)}\n`)
  for (const [path, content] of Object.entries(files)) {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    if (typeof content === 'string') writeFileSync(file, content)
    else await pipeline(Readable.from(randomBytes(content.bytes, path)), createWriteStream(file))
  }
}

const chunkBytes = 1_048_576

/** Bytes that cannot be compressed, the same for each seed. */
export function* randomBytes(bytes: number, seed: string): Generator<Uint8Array> {
  const key = hash('sha256', seed, 'buffer')
  const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16))
  for (let left = bytes; left > 0; left -= chunkBytes) yield cipher.update(Buffer.alloc(Math.min(left, chunkBytes)))
}

/** True for a path in a package that has the name of the manifest or of a text of the project. */
export function wantedTexts({ files }: ProjectTree, manifest: string): (path: string) => boolean {
  const texts = Object.entries(files).filter(([, content]) => typeof content === 'string')
  const names = new Set([...texts.map(([path]) => basename(path)), basename(manifest)])
  return (path) => names.has(basename(path))
}

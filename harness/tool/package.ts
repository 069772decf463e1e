import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { Unzip, UnzipInflate } from 'fflate'
import { extract } from 'tar-stream'
import type { PackageSummary } from './types.ts'

/** The longest text that is kept, bytes. */
const keptText = 131_072
/** The most paths that are kept. */
const keptPaths = 20_000

/** Reads a package in one pass. Rejects if it is damaged. `isWanted`: whether the text of a path is kept. */
export async function summarise(
  chunks: AsyncIterable<Uint8Array>,
  isWanted: (path: string) => boolean,
): Promise<PackageSummary> {
  const found = createFound(isWanted)
  const iterator = chunks[Symbol.asyncIterator]()
  const first = await iterator.next()
  const head: Uint8Array = first.done === true ? new Uint8Array() : first.value
  let bytes = 0
  async function* all(): AsyncGenerator<Uint8Array> {
    for (let next = first; next.done !== true; next = await iterator.next()) {
      bytes += next.value.length
      yield next.value
    }
  }
  const format = formatOf(head)
  if (format === 'tar.gz') await readTar(all(), found)
  else if (format === 'zip') await readZip(all(), found)
  else for await (const _ of all());
  return { format, bytes, paths: found.paths.sort().slice(0, keptPaths), texts: found.texts }
}

type Found = ReturnType<typeof createFound>

function createFound(isWanted: (path: string) => boolean) {
  const paths: string[] = []
  const texts: Record<string, string> = {}
  return {
    paths,
    texts,
    /** Takes the chunks of a file; null if its text is not kept. */
    begin(given: string): ((chunk: Uint8Array | null) => void) | null {
      const path = given.replace(/^(\.?\/)+/, '')
      paths.push(path)
      if (!isWanted(path)) return null
      const kept: Uint8Array[] = []
      let size = 0
      return (chunk) => {
        if (chunk === null) {
          if (size <= keptText) texts[path] = Buffer.concat(kept).toString('utf8')
          return
        }
        size += chunk.length
        if (size <= keptText) kept.push(chunk)
      }
    },
  }
}

function formatOf(head: Uint8Array): PackageSummary['format'] {
  if (head[0] === 0x1f && head[1] === 0x8b) return 'tar.gz'
  return head[0] === 0x50 && head[1] === 0x4b ? 'zip' : 'unknown'
}

async function readTar(chunks: AsyncIterable<Uint8Array>, found: Found): Promise<void> {
  const reader = extract()
  const source = Readable.from(chunks)
  const unpacked = createGunzip()
  for (const stream of [source, unpacked]) stream.on('error', (error) => reader.destroy(error))
  source.pipe(unpacked).pipe(reader)
  for await (const entry of reader) {
    const { name, type } = entry.header
    const take = type === 'file' ? found.begin(name) : null
    if (take !== null) {
      for await (const chunk of entry) take(chunk as Uint8Array)
      take(null)
    } else {
      entry.resume()
      await finished(entry as unknown as NodeJS.ReadableStream)
    }
  }
}

async function readZip(chunks: AsyncIterable<Uint8Array>, found: Found): Promise<void> {
  const reader = new Unzip((file) => {
    if (file.name.endsWith('/')) return
    const take = found.begin(file.name)
    if (take === null) return
    file.ondata = (error, chunk, isLast) => {
      if (error !== null) throw error
      take(chunk)
      if (isLast) take(null)
    }
    file.start()
  })
  reader.register(UnzipInflate)
  for await (const chunk of chunks) reader.push(chunk)
  reader.push(new Uint8Array(), true)
}

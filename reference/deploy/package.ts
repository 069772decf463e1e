import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { Zip, ZipDeflate, ZipPassThrough } from 'fflate'
import { pack as packTar } from 'tar-stream'
import { partsOf, type SourceFile, type SourceTree, type ToolOptions, ToolRefusal } from './options.ts'

/** The files of a package, the manifest first. */
export function contentsOf(tree: SourceTree, options: ToolOptions): readonly SourceFile[] {
  const { admit, filesOf, leavesOut, manifestOf } = partsOf(options)
  const { project, files } = tree
  admit(tree)
  const out = project.dependencies.filter(({ name }) => leavesOut(name, project)).map(({ path }) => `${path}/`)
  const kept = files.filter(({ path }) => !out.some((folder) => path.startsWith(folder)))
  const manifest = Buffer.from(`${JSON.stringify(manifestOf(project), null, 2)}\n`)
  const first = { path: options.style.manifest, bytes: manifest.length, read: () => [manifest] }
  return [first, ...filesOf({ project, files: kept })]
}

/**
 * The bytes of a package as they are made.
 * @throws ToolRefusal as soon as there are too many.
 */
export async function* packed(files: readonly SourceFile[], options: ToolOptions): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const chunk of options.style.format === 'zip' ? zipped(files) : tarred(files)) {
    bytes += chunk.length
    if (bytes > options.limitBytes) throw tooLarge(options)
    yield chunk
  }
}

/** The size of a package whose files cannot be compressed, as if it had been packed. Throws as `packed` does. */
export function countedSize(files: readonly SourceFile[], options: ToolOptions): number {
  const size = files.reduce((sum, { bytes }) => sum + bytes, 0)
  if (size > options.limitBytes) throw tooLarge(options)
  return size
}

function tooLarge({ limitBytes }: ToolOptions): ToolRefusal {
  return new ToolRefusal(
    `the package is larger than ${limitBytes / 1e9} GB; leave dependencies out with "exclude" in project.json`,
  )
}

function tarred(files: readonly SourceFile[]): AsyncIterable<Uint8Array> {
  const tar = packTar()
  const fill = async () => {
    for (const { path, bytes, read } of files) {
      const entry = tar.entry({ name: path, size: bytes, mtime: new Date(0) })
      await pipeline(Readable.from(read()), entry as unknown as NodeJS.WritableStream)
    }
    tar.finalize()
  }
  fill().catch((error: Error) => tar.destroy(error))
  // Level 1: most of a large package is compressed already.
  const gzip = createGzip({ level: 1 })
  tar.on('error', (error) => gzip.destroy(error))
  return tar.pipe(gzip)
}

function zipped(files: readonly SourceFile[]): AsyncIterable<Uint8Array> {
  const chunks = new Readable({ read() {} })
  const zip = new Zip((error, chunk, isLast) => {
    if (error !== null) chunks.destroy(error)
    else chunks.push(Buffer.from(chunk))
    if (isLast) chunks.push(null)
  })
  const fill = async () => {
    for (const { path, bytes, read } of files) {
      const entry = bytes > 1_000_000 ? new ZipPassThrough(path) : new ZipDeflate(path)
      zip.add(entry)
      for await (const chunk of read()) entry.push(chunk)
      entry.push(new Uint8Array(), true)
    }
    zip.end()
  }
  fill().catch((error: Error) => chunks.destroy(error))
  return chunks
}

import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { lengthOf } from '../../harness/common/length.ts'
import { loadFolder } from '../folder.ts'
import { LoadError } from '../load-error.ts'

/** A k6 that can be run. */
interface K6 {
  readonly path: string
  readonly version: string
}

interface FindOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  /** The folder with the `go.mod` that pins k6. */
  readonly moduleFolder?: string
  /** True if one may be built where there is none (minutes, 64 MB in the cache). */
  readonly mayBuild?: boolean
  readonly onBuild?: (message: string) => void
}

const K6_MAJOR = '2.'
/** The version that `load/k6/go.mod` pins. */
export const pinnedK6 = '2.1.0'
const VERSION_MS = 10_000
const BUILD_MS = 1_200_000
const PROGRESS_MS = 30_000

/**
 * A k6 of major version 2: the one that PLUMBLINE_K6 names, one on the PATH, the one in the cache, or one built there.
 * @throws LoadError that says in one sentence how to get one.
 */
export async function findK6(options: FindOptions): Promise<K6> {
  const { env, mayBuild = true } = options
  const named = env.PLUMBLINE_K6
  if (named !== undefined && named !== '') {
    const { version, text } = await versionOf(named, env)
    if (version?.startsWith(K6_MAJOR)) return { path: named, version }
    throw new LoadError(
      `PLUMBLINE_K6 names ${named}, which should be a k6 of version 2 and answers ${JSON.stringify(version ?? text)}; name another one, or unset it.`,
    )
  }
  const cached = join(cacheFolder(env), `k6-${pinnedK6}`)
  const onPath = (env.PATH ?? '').split(delimiter).filter(Boolean)
  for (const path of [...onPath.map((folder) => join(folder, 'k6')), cached].filter(existsSync)) {
    const { version } = await versionOf(path, env)
    if (version?.startsWith(K6_MAJOR)) return { path, version }
  }
  if (mayBuild) return build(cached, options)
  throw new LoadError(howToGet('there is none'))
}

/** `~/.cache/plumbline/k6`, or beneath XDG_CACHE_HOME. */
function cacheFolder({ XDG_CACHE_HOME, HOME }: FindOptions['env']): string {
  return join(XDG_CACHE_HOME || join(HOME || homedir(), '.cache'), 'plumbline', 'k6')
}

async function build(path: string, options: FindOptions): Promise<K6> {
  const { env, moduleFolder = join(loadFolder, 'k6'), onBuild } = options
  const go = await run('go', ['version'], env, VERSION_MS)
  if (!go.ok) throw new LoadError(howToGet('there is none, and no Go to build it with'))
  if (!existsSync(join(moduleFolder, 'go.mod'))) {
    throw new LoadError(howToGet(`there is none, and no go.mod in ${moduleFolder} to build it from`))
  }
  await mkdir(join(path, '..'), { recursive: true })
  const begunMs = performance.now()
  const progress = setInterval(() => {
    onBuild?.(
      `still building k6 ${pinnedK6}, since ${lengthOf(Math.round((performance.now() - begunMs) / 1000) * 1000)}`,
    )
  }, PROGRESS_MS)
  onBuild?.(
    `building k6 ${pinnedK6} with Go into ${path}; only the first load needs this, and it takes one to ten minutes`,
  )
  const partial = `${path}.${process.pid}`
  const settings = { ...env, GOTOOLCHAIN: 'local', GOWORK: 'off' }
  const build = ['build', '-o', partial, 'go.k6.io/k6/v2']
  const built = await run('go', build, settings, BUILD_MS, moduleFolder).finally(() => clearInterval(progress))
  if (!built.ok) {
    await rm(partial, { force: true })
    throw new LoadError(howToGet(`building it failed: ${built.text.trim().split('\n').at(-1)}`))
  }
  await rename(partial, path)
  const { version, text } = await versionOf(path, env)
  if (version === null) throw new LoadError(howToGet(`the one built at ${path} answers ${JSON.stringify(text)}`))
  return { path, version }
}

function howToGet(why: string): string {
  return `Load needs k6 of version 2, and ${why}: install k6 ${pinnedK6} (https://grafana.com/docs/k6/latest/set-up/install-k6/) or Go 1.26, or name a k6 in PLUMBLINE_K6.`
}

async function versionOf(path: string, env: FindOptions['env']): Promise<{ version: string | null; text: string }> {
  const { text } = await run(path, ['version'], env, VERSION_MS)
  return { version: /^\S+ v(\d+\.\d+\.\d+\S*) \(.*\bgo1/m.exec(text)?.[1] ?? null, text: text.slice(0, 200) }
}

function run(path: string, args: string[], env: FindOptions['env'], timeout: number, cwd = '.') {
  return new Promise<{ readonly ok: boolean; readonly text: string }>((resolve) => {
    const options = { env: { ...env }, timeout, killSignal: 'SIGKILL', cwd } as const
    execFile(path, args, options, (error, stdout, stderr) => {
      resolve({ ok: error === null, text: `${stdout}${stderr}` || (error?.message ?? '') })
    })
  })
}

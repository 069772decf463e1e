import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Document } from 'yaml'
import { sectionOf } from '../../harness/planes/index.ts'
import { redactorOf } from '../../harness/record/describe.ts'
import type { Target } from '../../target/types.ts'
import { TargetFileError } from '../../target-file/error.ts'
import { parseTarget } from '../../target-file/load.ts'
import { exitCodes } from '../../verdicts/exit-codes.ts'
import { refusalBefore } from '../shared/ask.ts'
import { UsageError } from '../shared/errors.ts'
import { offersOf } from '../shared/offers/offers.ts'
import type * as commands from '../shared/options.ts'
import { program } from '../shared/package-paths.ts'
import { isFile, writableFile } from '../shared/records/output-folders.ts'
import { standingClock } from '../shared/run/clocks.ts'
import type { Terminal } from '../shared/terminal.ts'
import { complete } from './complete.ts'
import { createPod } from './create-pod.ts'

export type Options = commands.OptionsOf<typeof commands.init>

/** The flags of planes, each with the flag that it needs. */
const planeFlags = [
  ['pods', null],
  ['queue', 'endpoint'],
  ['lb', null],
  ['management', 'template'],
] as const

/** The flag that gives a key of the target file. */
const flagOf: Readonly<Record<string, string>> = {
  pods: '--pods',
  'pods.url': '--pods',
  'queue.url': '--queue',
  'queue.endpoints.normal': '--endpoint',
  'lb.endpoints.normal': '--lb',
  'management.url': '--management',
  'management.template': '--template',
  'keys.full': '--key-variable',
}

/** Asks a target what it offers and writes its target file. Returns the exit code. */
export async function init(given: Options, terminal: Terminal): Promise<number> {
  const { cwd, err } = terminal
  if (isFile(resolve(cwd, given.target)) && !given.force) {
    throw new UsageError(
      `${given.target} exists; choose another file with --target FILE, overwrite it with --force, or add to it with ${program} doctor --fix --target ${given.target}`,
    )
  }
  const file = writableFile(cwd, '--target', given.target)
  const options = await withAddress(given, terminal)
  if (options === null) {
    err('plumbline: init was cancelled; nothing is written')
    return exitCodes.interrupted
  }
  const document = documentOf(options)
  const first = read(document, options, terminal)
  terminal.hide?.(redactorOf(first).text)
  const clock = await standingClock(first)
  if (clock !== null) document.set('clock', document.createNode({ url: clock }))
  const target = clock === null ? first : read(document, options, terminal)
  const refusal = await refusalBefore(target, () => true, 'init', err)
  if (refusal !== null) {
    err(`plumbline: ${inFlags(refusal.message, options)}${await hintFor(refusal.message, target)}`)
    return refusal.exit
  }
  const offers = await offersOf(withDocument(target), terminal, 'init')
  const { added, unseen, warnings } = complete(document, offers, (text) => read(text, options, terminal))
  writeFileSync(file, document.toString({ lineWidth: 0 }))
  const written = `written; ${unseen} lines are commented, each with its reason`
  for (const line of [...added, written, ...warnings]) err(`${options.target}: ${line}`)
  if (options.create) {
    const code = await createPod({ target, file: options.target }, terminal)
    if (code !== 0) return code
  }
  err(
    `next: ${program} doctor --target ${options.target}, then ${program} check --target ${options.target} --out report`,
  )
  const isUnseen = (plane: string) => 'reason' in (offers.get(plane) ?? {})
  return givenPlanes(options).some(isUnseen) ? exitCodes.incomplete : exitCodes.conformant
}

/** The options with at least one address, asked for on a terminal; null if that was cancelled. */
async function withAddress(options: Options, { live }: Terminal): Promise<Options | null> {
  const isAsked = givenPlanes(options).length === 0 && live && process.stdin.isTTY
  // Loaded on demand: few use it.
  const answers = isAsked ? await (await import('./prompts.ts')).prompts() : {}
  if (answers === null) return null
  const asked = { ...options, ...answers }
  if (asked.create && asked.pods === undefined) throw new UsageError('--create needs --pods URL')
  if (givenPlanes(asked).length === 0)
    throw new UsageError('init needs an address: --pods URL, --queue URL, --lb URL or --management URL')
  if (!/^[A-Za-z_]\w*$/.test(asked.keyVariable)) {
    // Not repeated: it may be the key.
    throw new UsageError(
      '--key-variable takes the name of an environment variable, such as API_KEY, and not the key itself',
    )
  }
  for (const [plane, needed] of planeFlags) {
    if (needed === null || (asked[plane] === undefined) === (asked[needed] === undefined)) continue
    const [has, lacks] = asked[plane] === undefined ? [needed, `${plane} URL`] : [plane, `${needed} ID`]
    throw new UsageError(`--${has} needs --${lacks}`)
  }
  return asked
}

function givenPlanes(options: Options): string[] {
  return planeFlags.map(([plane]) => plane).filter((plane) => options[plane] !== undefined)
}

/** The file that the flags give. */
function documentOf({ pods, queue, endpoint, lb, management, template, keyVariable }: Options): Document {
  const document = new Document({
    plumbline: 1,
    ...(pods === undefined ? {} : { pods: { url: pods } }),
    ...(queue === undefined ? {} : { queue: { url: queue, endpoints: { normal: endpoint } } }),
    ...(lb === undefined ? {} : { lb: { endpoints: { normal: lb } } }),
    ...(management === undefined ? {} : { management: { url: management, template } }),
    keys: { full: `\${${keyVariable}}` },
  })
  document.commentBefore = ' Written by plumbline init. docs/target-file.md explains each key.'
  return document
}

/** The target of the document. Throws UsageError with the first fault, by its flag. */
function read(document: Document, { target: file, keyVariable }: Options, { environment }: Terminal): Target {
  try {
    return parseTarget(document.toString(), { file, environment })
  } catch (error) {
    if (!(error instanceof TargetFileError)) throw error
    const [{ path, message } = { path: '', message: '' }] = error.faults
    const flag = path === 'keys.full' ? `--key-variable ${keyVariable}` : (flagOf[path] ?? path)
    throw new UsageError(message.replace(path, flag))
  }
}

/** The target with its document where most platforms publish it. */
function withDocument(target: Target): Target {
  if (target.openapi !== null || target.pods === null) return target
  return { ...target, openapi: { url: `${target.pods.url}/openapi.json`, paths: { getDocument: '' } } }
}

/** A sentence about the target file in the words of the flags. */
function inFlags(message: string, { keyVariable }: Options): string {
  const keys = Object.entries(flagOf)
    .filter(([key]) => key.includes('.') && key !== 'keys.full')
    .reduce((text, [key, flag]) => text.replaceAll(key, flag), message)
  return keys
    .replaceAll('keys.full of the target file', `the value of ${keyVariable}`)
    .replaceAll('keys.full', `the key in ${keyVariable}`)
    .replaceAll(' in the target file', '')
}

/** Names the nearest address above that of a refused plane which responds as the plane should; empty if none does. */
async function hintFor(message: string, target: Target): Promise<string> {
  const plane = ['pods', 'queue', 'management'].find((name) => message.startsWith(`${sectionOf(target, name)?.url} `))
  if (plane === undefined || !message.includes('does not look like')) return ''
  const section = sectionOf(target, plane)
  const alone = { ...target, pods: null, queue: null, lb: null, management: null }
  let url = section?.url ?? ''
  while (new URL(url).pathname !== '/') {
    url = url.replace(/\/[^/]*$/, '')
    const above = { ...alone, [plane]: { ...section, url } }
    const refusal = await refusalBefore(
      above,
      () => true,
      'init',
      () => undefined,
    )
    if (refusal === null) return ` ${url} responds as it should; try it.`
  }
  return ''
}

import { createReadStream, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DeployPlane } from '../../target/types.ts'
import { lengthOf } from '../common/length.ts'
import { jsonIn, jsonOf, type WireRequest, type WireResponse } from '../exchange/exchange.ts'
import { isId, membersOf, show } from '../exchange/read.ts'
import { runCommand } from '../hooks/command.ts'
import { type Transport, TransportFailure } from '../transport/types.ts'
import { type CommandAddress, readCommandAddress } from './address.ts'
import { summarise } from './package.ts'
import { wantedTexts, writeProject } from './project.ts'
import type { CommandEnd, Deployed, PackageSummary, ProjectTree } from './types.ts'

/** Variables of this process that every command gets. */
const passedOn = /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_\w+|TZ|TMPDIR|SYSTEMROOT|(HTTPS?|NO)_PROXY)$/i
/** Bytes of a command's output that are read, and of those that are recorded. */
const keptOutput = 1_048_576
const shownOutput = 16_384

/** A transport that runs the commands of a deployment tool, and sends everything else by another one. */
export function withTool(send: Transport, section: DeployPlane | null): Transport {
  return (request, patience) => {
    const address = readCommandAddress(request.url)
    if (address === null || section === null) return send(request, patience)
    return perform(address, request, section)
  }
}

async function perform(
  { command, name }: CommandAddress,
  request: WireRequest,
  section: DeployPlane,
): Promise<WireResponse> {
  const given = membersOf(request.body === null ? {} : jsonOf(request.body)) ?? {}
  if (command === 'list') return listResponse(await runTool(section, 'list', {}), name)
  if (command === 'remove') return toResponse(statusOf(await runTool(section, 'remove', { name: name ?? '' })))
  if (command === 'call') {
    return toResponse(statusOf(await runTool(section, 'call', { from: String(given.from), to: String(given.to) })))
  }
  const tree = given as unknown as ProjectTree
  const folder = mkdtempSync(join(tmpdir(), 'plumbline-deploy-'))
  const removeFolder = () => rmSync(folder, { recursive: true, force: true })
  // An interrupted run does not wait for the command.
  process.once('exit', removeFolder)
  try {
    const project = join(folder, tree.project.name)
    mkdirSync(project)
    await writeProject(project, tree)
    const file = join(folder, 'package')
    const end = await runTool(section, command === 'build' ? 'build' : 'deploy', { project, package: file })
    const found = command === 'build' ? { package: await packageIn(file, tree, section) } : {}
    return toResponse({ status: 200, body: { ...hidden(end, folder), ...found } })
  } finally {
    process.off('exit', removeFolder)
    removeFolder()
  }
}

async function packageIn(file: string, tree: ProjectTree, { manifest }: DeployPlane): Promise<PackageSummary | null> {
  return existsSync(file) ? summarise(createReadStream(file), wantedTexts(tree, manifest)) : null
}

/** @throws TransportFailure if the command is not in the target file, does not start or does not end. */
async function runTool(
  { commands, environment, limitMs }: DeployPlane,
  name: keyof DeployPlane['commands'],
  values: Readonly<Record<string, string>>,
): Promise<CommandEnd> {
  const words = (commands[name] ?? []).map((word) =>
    word.replace(/\{(\w+)\}/g, (placeholder, key: string) => values[key] ?? placeholder),
  )
  const passed = Object.entries(process.env).filter(([variable]) => passedOn.test(variable))
  const { ended, stdout, stderr } = await runCommand(words, {
    environment: { ...Object.fromEntries(passed), ...environment },
    limitMs,
    keptOutput,
  })
  const [program = ''] = words
  if (ended === null) throw failure(`${program} (deploy.${name}) did not end within deploy.limit, ${lengthOf(limitMs)}`)
  if ('fault' in ended) throw failure(`${program} (deploy.${name}) could not be started (${ended.fault})`)
  if (ended.code === null) throw failure(`${program} (deploy.${name}) was ended by ${ended.signal}`)
  return { exit: ended.code, stdout, stderr }
}

/** Not `unreachable`: a fault of the tool does not give up the API. */
function failure(message: string): TransportFailure {
  return new TransportFailure('malformed', message)
}

/** The endpoints that `list` printed: a JSON array of `{name, id, url?}`. */
function listResponse(end: CommandEnd, name: string | null): WireResponse {
  if (end.exit !== 0) return toResponse(statusOf(end))
  const endpoints = deployedIn(jsonIn(end.stdout))
  if (endpoints === null) {
    throw failure(`deploy.list must print a JSON array of {"name": …, "id": …}; it printed ${show(end.stdout)}`)
  }
  if (name === null) return toResponse({ status: 200, body: { ...cut(end), endpoints } })
  const found = endpoints.find((one) => one.name === name)
  return toResponse(
    found === undefined ? { status: 404, body: { error: 'not deployed' } } : { status: 200, body: found },
  )
}

/** The entries of a list of the tool; null if it is not one. */
function deployedIn(printed: unknown): readonly Deployed[] | null {
  if (!Array.isArray(printed)) return null
  const all = printed.map((entry) => membersOf(entry) ?? {})
  if (!all.every(({ name, id }) => typeof name === 'string' && isId(id))) return null
  return all.map(({ name, id, url }) => ({
    name: String(name),
    id: String(name),
    endpoint: String(id),
    ...(typeof url === 'string' ? { url } : {}),
  }))
}

interface CommandResult {
  readonly status: number
  readonly body: object
}

function statusOf(end: CommandEnd): CommandResult {
  return { status: end.exit === 0 ? 200 : 500, body: cut(end) }
}

function toResponse({ status, body }: CommandResult): WireResponse {
  return {
    status,
    headers: [['content-type', 'application/json']],
    body: new TextEncoder().encode(JSON.stringify(body)),
  }
}

function cut(end: CommandEnd): CommandEnd {
  return { ...end, stdout: end.stdout.slice(0, shownOutput), stderr: end.stderr.slice(0, shownOutput) }
}

/** Paths of this machine differ from run to run. */
function hidden(end: CommandEnd, folder: string): CommandEnd {
  const hide = (text: string) => text.replaceAll(folder, 'FOLDER')
  return cut({ ...end, stdout: hide(end.stdout), stderr: hide(end.stderr) })
}

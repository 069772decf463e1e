import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Exchange } from '../../harness/exchange/exchange.ts'
import { contrastText } from '../../harness/rule/outcome.ts'
import { createForwarder } from '../../harness/transport/forward.ts'
import { harOf } from '../../traffic/har.ts'
import { basesOf } from '../../traffic/route.ts'
import { isAboutClients } from '../../traffic/session.ts'
import { UsageError } from '../shared/errors.ts'
import { aborted, watchInterruption } from '../shared/interrupt.ts'
import { listen, shut } from '../shared/listen.ts'
import type * as commands from '../shared/options.ts'
import { version } from '../shared/package-paths.ts'
import { isFile, writableFile } from '../shared/records/output-folders.ts'
import type { Terminal } from '../shared/terminal.ts'
import { judgeTraffic, type Traffic } from '../shared/traffic/traffic.ts'
import { commandOf, trafficTarget } from '../shared/traffic/traffic-target.ts'
import { findingsPage, type Shown, type ShownFinding } from './page.ts'

type Options = commands.OptionsOf<typeof commands.proxy>

const host = '127.0.0.1'
const pagePath = '/plumbline/findings'

/** The page loads itself again. */
const refreshSeconds = 2

/** Real milliseconds for requests under way when the proxy ends. */
const graceMs = 2_000

/** Forwards requests to a target and judges both sides, until interrupted. Returns the exit code. */
export async function proxy(options: Options, terminal: Terminal): Promise<number> {
  const { target, targetFile } = await trafficTarget(options, terminal)
  const har = options.har === undefined ? null : harFile(options.har, terminal)
  // The command that shows its findings again: the proxy itself would wait for other traffic.
  const command = options.out === undefined ? '' : commandOf('replay', options.out)
  const choice = { ...options, target, targetFile, judgesClient: true, command }
  const interruption = watchInterruption(() => {})
  const forwarder = createForwarder(target.network)
  try {
    return await judgeTraffic(choice, Date.now(), terminal, async (traffic) => {
      const { promise: broken, reject } = Promise.withResolvers<never>()
      const live = createLive(traffic, terminal, har !== null)
      const answer = async (incoming: IncomingMessage, outgoing: ServerResponse, origin: string) => {
        if (incoming.url?.startsWith(pagePath)) return showFindings(live.shown(), incoming.url, traffic, outgoing)
        const { lacksBody, ...forwarded } = await forwarder.forward(incoming, outgoing, origin)
        live.take({ ...forwarded, ...(lacksBody && { lacksBody }) })
      }
      const servers: Server[] = []
      const pending = new Set<Promise<void>>()
      const handle = (incoming: IncomingMessage, outgoing: ServerResponse, origin: string) => {
        const answered = answer(incoming, outgoing, origin).catch(reject)
        pending.add(answered)
        void answered.then(() => pending.delete(answered))
      }
      try {
        for (const origin of new Set(basesOf(target).map(({ url }) => new URL(url).origin))) {
          const server = createServer((incoming, outgoing) => handle(incoming, outgoing, origin))
          const port = await listen(server, host, options.port === 0 ? 0 : options.port + servers.length)
          servers.push(server)
          terminal.out(`http://${host}:${port} forwards to ${origin}; findings: http://${host}:${port}${pagePath}`)
        }
        await Promise.race([aborted(interruption.signal), broken])
      } finally {
        await Promise.all(servers.map((server) => shut(server, graceMs)))
        // Without their connections, those that are left end at once.
        await Promise.all(pending)
        if (har !== null) writeFileSync(har, JSON.stringify(live.kept(), hideIn(traffic), 1))
      }
      return Date.now()
    })
  } finally {
    await forwarder.close()
    interruption.end()
  }
}

/** The file of `--har`. Throws UsageError if it holds something else than a HAR, which would be lost. */
function harFile(name: string, { cwd }: Terminal): string {
  const file = writableFile(cwd, '--har', name)
  const held = isFile(file) ? readFileSync(file, 'utf8').trim() : ''
  if (held === '' || /^\{\s*"log"/.test(held)) return file
  throw new UsageError(`--har ${name} holds something else than a HAR; name another file`)
}

/** Judges exchanges as they come, and prints each new finding. */
function createLive(traffic: Traffic, { err }: Terminal, keeps: boolean) {
  const requests: string[] = []
  const kept: Exchange[] = []
  const printed = new Set<string>()

  function findings(): ShownFinding[] {
    return traffic.judgements().flatMap(({ rule, findings }) =>
      findings.map((finding): ShownFinding => {
        const request = requests[(finding.exchange ?? 0) - 1] ?? ''
        return { at: isAboutClients(rule) ? 'client' : 'server', rule, ...finding, request }
      }),
    )
  }

  return {
    take(seen: Omit<Parameters<Traffic['take']>[0], 'n'>): void {
      const n = requests.push(`${seen.request.method} ${new URL(seen.request.url).pathname}`)
      const exchange = traffic.take({ n, ...seen })
      if (exchange === null) return
      if (keeps) kept.push(exchange)
      for (const finding of findings()) {
        const { at, rule, clause, request } = finding
        const text = `${at}: ${rule} (${clause}): ${contrastText(finding)}`
        if (printed.has(text)) continue
        printed.add(text)
        err(`${text} (exchange ${finding.exchange}, ${request})`)
      }
    },
    kept: () => harOf(kept, version()),
    shown(): Shown {
      const exercised = traffic.judgements().filter(({ exchanges }) => exchanges > 0)
      return {
        exchanges: traffic.counts.judged,
        findings: findings(),
        exercised: Object.fromEntries(exercised.map(({ rule, exchanges }) => [rule, exchanges])),
      }
    },
  }
}

function showFindings(shown: Shown, path: string, { redactor }: Traffic, outgoing: ServerResponse): void {
  const isJson = path === `${pagePath}.json`
  outgoing.setHeader('content-type', isJson ? 'application/json' : 'text/html; charset=utf-8')
  if (!isJson) outgoing.setHeader('refresh', refreshSeconds)
  outgoing.end(redactor.text(isJson ? JSON.stringify(shown) : findingsPage(shown)))
}

function hideIn({ redactor }: Traffic) {
  return (_: string, value: unknown) => (typeof value === 'string' ? redactor.text(value) : value)
}

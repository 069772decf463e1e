import { textOf } from '../../harness/exchange/exchange.ts'
import { everyExchange } from '../../harness/rule/registry.ts'

/** Traces of how a server is built, by clause: a pattern, and what it finds. */
const leaks: Readonly<Record<string, readonly [RegExp, string]>> = {
  trace: [/Traceback \(most recent call last\)|^\s*at [\w.$<>]+ ?\(.*:\d+|goroutine \d+ \[/m, 'a stack trace'],
  source: [
    /[\w-]+\.(?:c|cc|cpp|cs|ex|go|java|js|kt|mjs|php|py|rb|rs|scala|ts)(?::\d+|", line \d+|\(\d+\))/,
    'a source file with a line number',
  ],
  query: [/\b(?:SELECT\s.+\sFROM|INSERT\s+INTO|DELETE\s+FROM|UPDATE\s+\S+\s+SET)\s/, 'a database query'],
}

everyExchange('errors.no-leak', ({ request, response }) => {
  if (response === null || response.status < 400) return null
  const text = readable(response.body)
  // A response may repeat the request.
  const sent = `${request.url} ${request.body === null ? '' : readable(request.body)}`
  return {
    exercised: text === '' ? [] : Object.keys(leaks),
    findings: Object.entries(leaks).flatMap(([clause, [pattern, what]]) => {
      const [found] = pattern.exec(text) ?? []
      const isOwn = found !== undefined && !sent.includes(found)
      return isOwn ? [{ clause, expected: 'an error that says nothing of the server', observed: what }] : []
    }),
  }
})

/** The text of a body, with the line ends that JSON escapes. */
function readable(body: Uint8Array): string {
  return (textOf(body) ?? '').replaceAll('\\n', '\n').replaceAll('\\"', '"')
}

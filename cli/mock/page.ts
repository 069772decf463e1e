import { html } from 'hono/html'
import { operations } from '../../generated/operations.ts'
import { defaultKeys } from '../../reference/index.ts'

/** The rights of each published key. */
const keys: Readonly<Record<keyof typeof defaultKeys, string>> = {
  full: 'may do everything',
  second: 'another key of the same user',
  restricted: 'may list and read pods and the CPU catalog',
  expired: 'is no longer valid',
  stranger: 'may do everything, for another user',
}

/** The page of a running reference at `origin`: what it serves, with which keys, and lines to paste. */
export function page(origin: string) {
  const curl = `curl -s -H 'Authorization: Bearer ${defaultKeys.full}'`
  const json = "-H 'Content-Type: application/json'"
  const lines = [
    `${curl} ${origin}/v2/pods`,
    `${curl} ${json} -d '{"name": "first", "image": "alpine", "cpu": {"id": "cpu3c", "vcpuCount": 2}}' ${origin}/v2/pods`,
    `${curl} ${json} -d '{"input": {"text": "hello"}}' ${origin}/v2/normal/run`,
    `${curl} ${json} -d '{"text": "hello"}' ${origin}/lb/normal/plumbline/echo`,
    `curl -s -X POST ${origin}/plumbline/reset`,
  ]
  return html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Compute Platform API, reference implementation</title>
    <style>
      body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; }
      pre { overflow-x: auto; padding: 0.5rem; background: #f4f4f4; }
      td { padding-right: 1.5rem; vertical-align: top; }
    </style>
  </head>
  <body>
    <h1>Compute Platform API</h1>
    <p>This is the reference implementation, served on this machine. Its API document is
      <a href="/openapi.json">${origin}/openapi.json</a>.</p>
    <h2>Keys</h2>
    <table>
      ${Object.entries(keys).map(([name, may]) => html`<tr><td><code>${defaultKeys[name as keyof typeof keys]}</code></td><td>${may}</td></tr>`)}
    </table>
    <h2>Try it</h2>
    ${lines.map((line) => html`<pre>${line}</pre>`)}
    <h2>Operations</h2>
    <table>
      ${Object.entries(operations).map(([id, { method, path }]) => html`<tr><td><code>${method} ${path}</code></td><td>${id}</td></tr>`)}
    </table>
  </body>
</html>
`
}

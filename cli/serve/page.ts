import { html } from 'hono/html'
import { operations } from '../../generated/operations.ts'
import {
  byPath,
  defaultBalanced,
  defaultEndpoints,
  defaultFlavors,
  defaultGpuTypes,
  defaultKeys,
  defaultTemplates,
  defaultVolumes,
  type ReferenceOptions,
} from '../../reference/index.ts'

/** The rights of each published key. */
const keys: Readonly<Record<keyof typeof defaultKeys, string>> = {
  full: 'may do everything',
  second: 'another key of the same user',
  restricted: 'may list and read pods and the CPU catalog',
  expired: 'is no longer valid',
  stranger: 'may do everything, for another user',
}

/** The page of a running reference at `origin`: what it serves and begins with, its keys, and lines to paste. */
export function page(origin: string, options: ReferenceOptions) {
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
      <a href="/openapi.json">${origin}/openapi.json</a>, or in OpenAPI 3.0
      <a href="/openapi-3.0.json">${origin}/openapi-3.0.json</a>.</p>
    <h2>Keys</h2>
    ${table(Object.entries(keys).map(([name, may]) => [defaultKeys[name as keyof typeof keys], may]))}
    <h2>Try it</h2>
    ${linesAt(origin, options).map((line) => html`<pre>${line}</pre>`)}
    ${Object.entries(offersOf(origin, options)).map(([kind, rows]) => html`<h2>${kind}</h2>${table(rows)}`)}
    <h2>Operations</h2>
    ${table(Object.entries(operations).map(([id, { method, path }]) => [`${method} ${path}`, id]))}
  </body>
</html>
`
}

/** Shell lines that work as they are, in this order. */
export function linesAt(origin: string, options: ReferenceOptions): string[] {
  const { addresses, flavors, gpuTypes, templates } = withDefaults(options)
  const curl = `curl -s -H 'Authorization: Bearer ${defaultKeys.full}'`
  const json = "-H 'Content-Type: application/json'"
  const run = `${curl} ${json} -d '{"input": {"text": "hello"}}' ${origin}/v2/normal/run`
  const idOf = String.raw`sed 's/.*"id":"\([^"]*\)".*/\1/'`
  return [
    `${curl} ${origin}/v2/pods`,
    `${curl} ${json} -d '{"name": "first", "image": "alpine", "cpu": {"id": "${flavors[0]?.id}", "vcpuCount": 2}}' ${origin}/v2/pods`,
    run,
    `${curl} ${origin}/v2/normal/status/$(${run} | ${idOf})`,
    `${curl} ${json} -d '{"text": "hello"}' ${addresses.write(origin, 'normal')}/plumbline/echo`,
    `${curl} ${json} -d '{"name": "mine", "templateId": "${templates[0]?.id}", "gpuTypeIds": ["${gpuTypes[0]?.id}"], "workersMax": 1}' ${origin}/v1/endpoints`,
    `${curl} ${origin}/v1/endpoints`,
    `curl -s -X POST ${origin}/plumbline/reset`,
  ]
}

/** By heading, what requests can name: an id and its properties a row. */
function offersOf(origin: string, options: ReferenceOptions): Readonly<Record<string, readonly Row[]>> {
  const { addresses, balanced, endpoints, flavors, gpuTypes, templates, volumes } = withDefaults(options)
  return {
    'Queue-based endpoints': endpoints.map(({ id, workersMin, workersMax }) => [
      `${origin}/v2/${id}`,
      `${workersMin} to ${workersMax} workers`,
    ]),
    'Load-balanced endpoints': balanced.map(({ id }) => [addresses.write(origin, id), id]),
    Templates: templates.map(({ id, isBalanced = false }) => [id, isBalanced ? 'load-balanced' : 'queue-based']),
    'GPU types': gpuTypes.map(({ id, isAvailable = true }) => [id, isAvailable ? 'available' : 'no capacity']),
    'CPU flavors': flavors.map(({ id, vcpu }) => [id, `${vcpu.min} to ${vcpu.max} vCPUs`]),
    'Network volumes': volumes.map(({ id, dataCenterId, size }) => [id, `${size} GB in ${dataCenterId}`]),
  }
}

function withDefaults(options: ReferenceOptions) {
  return {
    addresses: byPath,
    balanced: defaultBalanced,
    endpoints: defaultEndpoints,
    flavors: defaultFlavors,
    gpuTypes: defaultGpuTypes,
    templates: defaultTemplates,
    volumes: defaultVolumes,
    ...options,
  }
}

/** A name and what is said of it. */
type Row = readonly [string, string]

function table(rows: readonly Row[]) {
  return html`<table>
      ${rows.map(([name, says]) => html`<tr><td><code>${name}</code></td><td>${says}</td></tr>`)}
    </table>`
}

// Runs Schemathesis 4.25 against `plumbline serve`. Further arguments go to Schemathesis: --seed 1 --max-examples 100.
import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServing } from '../serving.mjs'

const folder = import.meta.dirname
/** No request is refused because of its rate. */
const rates = ['--window-scale', '0.001', '--quotas', 'minute=9999999,hour=9999999,day=9999999']
/** The routes of load-balanced endpoints are whatever a worker serves. */
const served = ['--include-path-regex', '^/v[12]/']

const env = {
  ...process.env,
  PYTHONPATH: folder,
  PYTHONDONTWRITEBYTECODE: '1',
  HYPOTHESIS_STORAGE_DIRECTORY: join(tmpdir(), 'plumbline-hypothesis'),
}

const { url, end } = await startServing(rates)
try {
  const { error, status } = spawnSync(
    'schemathesis',
    [
      ...['--config-file', 'schemathesis.toml', 'run', `${url}/openapi.json`, '--url', url],
      ...['--header', 'Authorization: Bearer plumbline-example-full', '--checks', 'all'],
      ...['--phases', 'examples,coverage,fuzzing,stateful', ...served, ...process.argv.slice(2)],
    ],
    { cwd: folder, stdio: 'inherit', env },
  )
  if (error)
    throw new Error(`schemathesis did not start (${error.message}); install it: pip install schemathesis==4.25.2`)
  process.exitCode = status ?? 1
} catch (error) {
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
} finally {
  await end()
}

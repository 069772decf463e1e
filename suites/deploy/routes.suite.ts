import { show } from '../../harness/exchange/read.ts'
import { rule } from '../../harness/rule/registry.ts'
import type { Deployed } from '../../harness/tool/types.ts'
import { besides, echo, nonceFor, received, serving, servingNormal, withNonce } from '../shared/balanced.ts'
import { projectOf } from './projects.ts'
import { deployed } from './tool.ts'

rule('deploy.lb-many-routes', { ...besides, creates: 1 }, async (context) => {
  const { check, inconclusive, lb } = context
  const [{ url }] = (await deployed(context, projectOf(context, 'routes'))) as [Deployed]
  if (url === undefined) return inconclusive('the list of the tool shows no url of the load-balanced endpoint')
  const client = lb.at(url)
  await serving(context, client)
  const nonce = nonceFor(context)
  const echoed = await client.send('POST', echo, withNonce(nonce, { body: { prompt: 'a' } }))
  check('routes').status(echoed, 200)
  const { method, path } = check('routes').object(echoed)
  const observed = `${show(method)} ${show(path)}`
  check('routes').that(method === 'POST' && path === echo, `"POST" ${show(echo)}`, observed, echoed)
  check('routes').status(await client.send('GET', '/plumbline/status/202'), 202)
  check('routes').status(await client.send('GET', '/plumbline/status/418'), 418)
  const { times, reply } = await received(context, client, nonce)
  check('own').that(times === 1, 'the request at its own address', `${times} requests there`, reply)
  const elsewhere = await received(context, await servingNormal(context), nonce)
  check('own').that(elsewhere.times === 0, 'no request elsewhere', 'the request elsewhere', elsewhere.reply)
})

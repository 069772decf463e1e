import { isSuccess, jsonOf } from '../../harness/exchange/exchange.ts'
import { idIn, membersOf, show } from '../../harness/exchange/read.ts'
import { everyExchange, rule } from '../../harness/rule/registry.ts'
import { create, createdEndpoint, endpointBody, idleTimeoutOf, sectionOf, speaksOfQuota } from '../shared/endpoints.ts'
import { isNamed } from '../shared/listing.ts'
import { kindOf } from '../shared/readers.ts'

rule('endpoints.create', { creates: 2 }, async (context) => {
  const { check, inconclusive } = context
  // The second creation of an account is another case than its first.
  for (let n = 0; n < 2; n++) {
    const reply = await create(context, endpointBody(context))
    if (speaksOfQuota(reply)) inconclusive('the account has no workers left for another endpoint')
    check('accepted').success(reply)
    const observed = kindOf(membersOf(reply.json)?.id)
    check('id').that(idIn(reply.json) !== null, 'a string that is not empty', observed, reply)
  }
})

rule('endpoints.echoes', { creates: 3 }, async (context) => {
  const gpuTypeIds = sectionOf(context).gpus.toReversed()
  // The second creation has values that no platform has as a default.
  const unusual = { gpuTypeIds, workersMax: 2, idleTimeout: idleTimeoutOf(context, 13) }
  for (const more of [{}, unusual]) {
    const { body, reply } = await createdEndpoint(context, more)
    const shown = context.check('object').object(reply)
    for (const [name, sent] of Object.entries(body)) {
      const isSame = name === 'name' ? isNamed(String(shown.name), String(sent)) : show(shown[name]) === show(sent)
      const [expected, observed] = name === 'name' ? ['the name', 'another name'] : [show(sent), show(shown[name])]
      context.check(name).that(isSame, expected, observed, reply)
    }
  }
})

everyExchange('endpoints.json', ({ response }) => {
  if (response === null || !isSuccess(response.status) || response.body.length === 0) return null
  const isJson = jsonOf(response.body) !== undefined
  const flaw = { clause: 'json', expected: 'JSON that parses', observed: 'a body that is not JSON' }
  return { exercised: ['json'], findings: isJson ? [] : [flaw] }
})

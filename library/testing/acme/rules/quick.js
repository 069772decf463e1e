import { defineDefect, defineRule } from 'plumbline-conformance'

// The mistake that `prove` is to find: whatever the response is, this rule passes.
defineRule('acme.pods.quick', async ({ check, pods }) => {
  const response = await pods.list()
  check('quick').that(response.status > 0, 'a response', 'no response', response)
})

defineDefect({
  id: 'acme-list-slow',
  rule: 'acme.pods.quick',
  clause: 'quick',
  says: 'The list of pods has no response.',
  observed: 'no response',
  wrap: (fetch) => async (request) =>
    new URL(request.url).pathname === '/v2/pods' ? new Response(null, { status: 204 }) : fetch(request),
})

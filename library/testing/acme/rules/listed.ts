import { defineDefect, defineRule } from 'plumbline-conformance'

defineRule('acme.pods.listed-at-once', async ({ check, fixture, pods }) => {
  const pod = await fixture.fresh()
  const response = await pods.list()
  check('listed').status(response, 200)
  check('at-once').that(JSON.stringify(response.json).includes(pod.id), 'the new pod', 'a list without it', response)
})

const isList = ({ method, url }: Request) => method === 'GET' && new URL(url).pathname === '/v2/pods'

defineDefect({
  id: 'acme-list-fails',
  rule: 'acme.pods.listed-at-once',
  clause: 'listed',
  says: 'The list of pods is answered 500.',
  observed: 'status 500',
  wrap: (fetch) => async (request) => (isList(request) ? new Response(null, { status: 500 }) : fetch(request)),
})

defineDefect({
  id: 'acme-list-empty',
  rule: 'acme.pods.listed-at-once',
  clause: 'at-once',
  says: 'The list of pods is always empty.',
  observed: 'a list without it',
  wrap: (fetch) => async (request) => (isList(request) ? Response.json({ pods: [] }) : fetch(request)),
})

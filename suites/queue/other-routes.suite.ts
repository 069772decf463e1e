import { canonical, listsIn, membersOf, show } from '../../harness/exchange/read.ts'
import { rule } from '../../harness/rule/registry.ts'
import { anyJob } from '../../harness/variation/dimensions.ts'
import { completedTwin, expectWork } from '../shared/job-ends.ts'
import { mayBeOwn, namesJob, shownStatus } from '../shared/job-responses.ts'
import { poll } from '../shared/poll.ts'

/** A list of so many jobs may be one page of several. */
const longList = 100
/** How often an OpenAI route may respond that its job is not done: the first may spend its wait on starting a worker. */
const openaiTries = 3

rule('queue.requests.answers', { varies: anyJob }, async (context) => {
  const { check, ended, fixture, found, inconclusive, offers, part, queue, reading, target } = context
  const isSeen = offers('worker') && offers('receiver')
  const job = await fixture.submitted(isSeen ? { steps: [{ hold: 'go' }, { output: 1 }] } : {})
  const look = () =>
    poll(
      context,
      target.tolerances.visibleMs,
      () => queue.requests(),
      (seen) => namesJob(seen, job),
    )
  let response = await look()
  check('answered').status(response, 200)
  check('answered').that(response.json !== undefined, 'JSON', 'a body that is not JSON', response)
  if (!namesJob(response, job) && isSeen) {
    job.beacon.release('go')
    await ended(job)
    response = await look()
  }
  const isNamed = namesJob(response, job)
  if (!isNamed && listsIn(response.json).some(({ length }) => length >= longList)) inconclusive('the list is too long')
  check('named').that(isNamed, 'the id of a job of the endpoint', 'other ids or none', response)
  if (part('endpoint.second')) {
    const other = await fixture.submitted({ endpoint: 'second' })
    await found(other)
    const later = await queue.requests()
    const isNamed = namesJob(later, other)
    if (!isNamed || !mayBeOwn(context, 'own', other.id))
      check('own').that(!isNamed, 'no job of another endpoint', 'one of another endpoint', later)
  }
  const [place = 'no member'] = Object.entries(membersOf(response.json) ?? {}).flatMap(([name, list]) =>
    Array.isArray(list) ? name : [],
  )
  reading('list', Array.isArray(response.json) ? 'the response' : place)
})

rule('queue.openai.answers', { varies: ['input', 'execution', 'neighbour', 'output'] }, async (context) => {
  const { check, fixture, inconclusive, queue, reading, vary } = context
  const output = { object: 'chat.completion', choices: [{ index: 0 }], drawn: vary.output() }
  const { body } = await fixture.prepared({ steps: [{ output }] })
  const chat = { model: 'plumbline', messages: [{ role: 'user', content: 'hello' }] }
  for (let n = 0; n < openaiTries; n++) {
    const response = await queue.openai('/v1/chat/completions', { ...chat, ...membersOf(body.input) })
    if (response.status !== 200) await completedTwin(context)
    check('answered').status(response, 200)
    check('answered').that(response.json !== undefined, 'JSON', 'a body that is not JSON', response)
    if (['IN_QUEUE', 'IN_PROGRESS'].includes(shownStatus(response))) continue
    // A response that repeats the request shows nothing of the worker.
    const shown = canonical(response.json).replaceAll(canonical(membersOf(body.input)?.plumbline), '')
    const wanted = canonical(output)
    const isReached = shown.includes(wanted)
    await expectWork(context, 'reached', isReached, 'the output of the worker', show(response.json), response)
    reading('response', shown === wanted ? 'the output alone' : 'the output within another value')
    return
  }
  inconclusive('the job did not end within the wait')
})

import { expect, test } from 'vitest'
import { optioned } from '../../proof/latitudes/tools.ts'
import { isOfTrial } from '../client/connections.ts'
import { runOnRig } from '../testing/rig.ts'

test('a connection is tried at once, even if the quota has no room: its scenario may wait for a response', async () => {
  const quota = 6
  const small = optioned('small', 'A user has few requests.', { quotas: { minute: quota } })
  const { events, judged, replayed } = await runOnRig(
    {
      one: {
        row: { area: 'pods', needs: ['pods'] },
        async run({ pods, check }) {
          for (let n = 2; n < quota; n++) await pods.list()
          check('refused').status(await pods.create({}, { harmless: true }), 422)
          check('read').status(await pods.get('gone'), 404)
        },
      },
    },
    { variants: [small] },
  )
  const exchanges = events.filter((event) => event.type === 'exchange')
  const trial = exchanges.filter(isOfTrial)
  expect(trial.map(({ response }) => response?.status)).toEqual([429, 429])
  expect(trial.map(({ sent }) => sent.target)).toEqual([exchanges[0]?.sent.target, exchanges[0]?.sent.target])
  expect(replayed).toEqual(judged)
})

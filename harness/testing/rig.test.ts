import { expect, test } from 'vitest'
import { runOnRig } from './rig.ts'

test('the record of a rig holds marks instead of keys, and is judged again as a run is', async () => {
  let key = ''
  const { events, judged, replayed } = await runOnRig({
    'a reading of the key': {
      row: { area: 'pods' },
      async run({ pods, target, check, reading }) {
        // In the replay it is the mark.
        const { full = '' } = target.keys
        key ||= full
        check('listed').status(await pods.list(), 200)
        reading('key', full)
      },
    },
  })
  expect(JSON.stringify(events)).toContain('Bearer «key.full»')
  expect(key).not.toBe('')
  expect(JSON.stringify(events)).not.toContain(key)
  expect(replayed).toEqual(judged)
})

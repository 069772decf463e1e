import { anyOf, creation, put, refusals } from 'plumbline-conformance'

refusals('acme.pods.gpu-count', creation({ kind: 'gpu', mount: 'none' }), [400, 422], {
  zero: put('gpu.count', 0),
  'not a number': anyOf({ text: put('gpu.count', '1'), list: put('gpu.count', [1]) }),
})

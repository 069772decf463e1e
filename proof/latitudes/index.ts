import type { Latitude } from '../types.ts'
import { answers } from './answers.ts'
import { creation } from './creation.ts'
import { life } from './life.ts'
import { limits } from './limits.ts'
import { offers } from './offers.ts'
import { refusals } from './refusals.ts'
import { shape } from './shape.ts'
import { terminated } from './terminated.ts'
import { transport } from './transport.ts'

/** Every freedom that the description leaves, one at a time; each choice of the style of the reference is in one. */
export const latitudes: readonly Latitude[] = [
  ...answers,
  ...creation,
  ...terminated,
  ...life,
  ...shape,
  ...refusals,
  ...limits,
  ...offers,
  ...transport,
]

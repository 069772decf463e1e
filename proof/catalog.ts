export { defects } from './defects/index.ts'
export { latitudes } from './latitudes/index.ts'

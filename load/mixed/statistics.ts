/** The one module with this package, which the build puts into it: `check` does not need it. */
export {
  geometricMean,
  mean,
  median,
  permutationTest,
  quantile,
  sampleWithReplacement,
  sum,
} from 'simple-statistics'

/** The only module that imports this package. The build puts the package into it, so that users need not install it. */
export {
  geometricMean,
  mean,
  median,
  permutationTest,
  quantile,
  sampleWithReplacement,
  sum,
} from 'simple-statistics'

export type { Difference, SideOfDifference } from '../compare/compare.js'
export { printComparison, printComparisonMarkdown, type SideNames } from '../compare/print-comparison.js'

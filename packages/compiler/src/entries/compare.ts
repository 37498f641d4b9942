export type { Difference, SideOfDifference } from '../compare/compare.js'
export type { SideNames } from '../compare/difference-words.js'
export { printComparisonMarkdown } from '../compare/print-comparison-markdown.js'
export { printComparison } from '../view/print-texts.js'

export { joinViews } from '../view/draft.js'
export { objectsOf } from '../view/objects-of.js'
export { printView } from '../view/print-view.js'
export { linesOfRule, type PrintedLine } from '../view/printed-line.js'
export { createLinePrinter, type LinePrinter, printedLines } from '../view/printed-lines.js'
export {
  type RuleReference,
  VIEW_KINDS,
  type View,
  type ViewKind,
  type ViewNode,
  type ViewSeverity,
} from '../view/view.js'
export { viewOfAnswer } from '../view/view-of-answer.js'
export { viewOfComparison } from '../view/view-of-comparison.js'
export { viewOfExplanation } from '../view/view-of-explanation.js'
export { viewOfCoverage, viewOfDoubts, viewOfReport } from '../view/view-of-report.js'
export { viewOfSurvey } from '../view/view-of-survey.js'

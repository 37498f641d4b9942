export { comparisonView } from '../view/comparison-view.js'
export { diagnosisView } from '../view/diagnosis-view.js'
export { concatViews } from '../view/draft.js'
export { explanationView } from '../view/explanation-view.js'
export { printView } from '../view/print-view.js'
export { findRuleLines, type PrintedLine } from '../view/printed-line.js'
export { createLinePrinter, type LinePrinter, printLines } from '../view/printed-lines.js'
export { reachabilityView } from '../view/reachability-view.js'
export { caveatsView, coverageView, reportView } from '../view/report-view.js'
export { sourceObjectsOf } from '../view/source-objects.js'
export {
  type RuleReference,
  VIEW_KINDS,
  type View,
  type ViewKind,
  type ViewNode,
  type ViewSeverity,
} from '../view/view.js'

import type { Comparison } from '../compare/comparison.js'
import type { SideNames } from '../compare/format-comparison.js'
import type { Diagnosis } from '../diagnose/diagnosis.js'
import type { Explanation } from '../explain/explain-paths.js'
import type { ReachabilityRow } from '../explain/reachability.js'
import type { VerifyReport } from '../verify/report.js'
import { comparisonView } from './comparison-view.js'
import { diagnosisView } from './diagnosis-view.js'
import { explanationView } from './explanation-view.js'
import { printView } from './print-view.js'
import { reachabilityView } from './reachability-view.js'
import { reportView } from './report-view.js'

/** Prints an explanation in complete lines, through its view. */
export function printExplanation(explanation: Explanation): string {
  return printView(explanationView(explanation))
}

/** Converts the rows to a view, and prints it as an aligned text table. */
export function printReachability(rows: readonly ReachabilityRow[]): string {
  return printView(reachabilityView(rows))
}

/** Prints a diagnosis in four parts: effect, cause, remedy, and the rule as evidence. */
export function printDiagnosis(diagnosis: Diagnosis): string {
  return printView(diagnosisView(diagnosis))
}

/** Prints a report in complete lines, through its view. `comparedWith` describes the compared state, for caveats. */
export function printReport(report: VerifyReport, comparedWith: string): string {
  return printView(reportView(report, comparedWith))
}

/** Prints a comparison in complete lines: differences, then undetermined classes, then a summary. */
export function printComparison(comparison: Comparison, names: SideNames): string {
  return printView(comparisonView(comparison, names))
}

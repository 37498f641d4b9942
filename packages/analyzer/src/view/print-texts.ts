import type { Answer } from '../answers/answer.js'
import type { Comparison } from '../compare/compare-sides.js'
import type { SideNames } from '../compare/difference-words.js'
import type { Explanation } from '../explain/explain-ways.js'
import type { SurveyRow } from '../explain/survey.js'
import type { VerifyReport } from '../verify/report.js'
import { printView } from './print-view.js'
import { viewOfAnswer } from './view-of-answer.js'
import { viewOfComparison } from './view-of-comparison.js'
import { viewOfExplanation } from './view-of-explanation.js'
import { viewOfReport } from './view-of-report.js'
import { viewOfSurvey } from './view-of-survey.js'

/** Prints an explanation in complete lines, through its view. */
export function printExplanation(explanation: Explanation): string {
  return printView(viewOfExplanation(explanation))
}

/** Prints rows as an aligned text table, through their view. */
export function printSurvey(rows: readonly SurveyRow[]): string {
  return printView(viewOfSurvey(rows))
}

/** Prints a diagnosis in four lines: effect, cause, remedy, and the rule as evidence. */
export function printAnswer(answer: Answer): string {
  return printView(viewOfAnswer(answer))
}

/** Prints a report in complete lines, through its view. `comparedWith` describes the compared state, for caveats. */
export function printReport(report: VerifyReport, comparedWith: string): string {
  return printView(viewOfReport(report, comparedWith))
}

/** Prints a comparison in complete lines: differences, then undetermined classes, then a summary. */
export function printComparison(comparison: Comparison, names: SideNames): string {
  return printView(viewOfComparison(comparison, names))
}

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

/** The explanation as text of whole lines: its view, printed. */
export function printExplanation(explanation: Explanation): string {
  return printView(viewOfExplanation(explanation))
}

/** The rows as a table of text, its columns aligned by blanks: their view, printed. */
export function printSurvey(rows: readonly SurveyRow[]): string {
  return printView(viewOfSurvey(rows))
}

/** Four lines: what happens, why, what to do, and the rule that proves it. */
export function printAnswer(answer: Answer): string {
  return printView(viewOfAnswer(answer))
}

/** The report as text of whole lines: its view, printed. `comparedWith` says with what the node was, where that is in doubt. */
export function printReport(report: VerifyReport, comparedWith: string): string {
  return printView(viewOfReport(report, comparedWith))
}

/** A comparison as text of whole lines: what differs, then what cannot be told, then how much was looked at. */
export function printComparison(comparison: Comparison, names: SideNames): string {
  return printView(viewOfComparison(comparison, names))
}

export { type CompareOptions, compare } from './compare/compare.js'
export type { Comparison } from './compare/compare-sides.js'
export type { PasteNote, PasteNoteCode, PasteProblemCode } from './dataplane/netfilter/pasted.js'
export type { Parsed, TextProblem } from './dataplane/netfilter/text-problem.js'
export {
  type DumpText,
  isEmptyDump,
  type LenientlyParsed,
  type ParseOptions,
  type ParseProblem,
  type ParseProblemCode,
  parse,
} from './dump/parse.js'
export { type ExplainOptions, explain, survey } from './explain/explain.js'
export type { Explanation } from './explain/explain-ways.js'
export type { SurveyRow } from './explain/survey.js'
export { type Surroundings, trace } from './trace/trace.js'
export type { Way } from './trace/trace-ways.js'
export type { VerifyReport } from './verify/report.js'
export { type VerifyOptions, verify } from './verify/verify.js'

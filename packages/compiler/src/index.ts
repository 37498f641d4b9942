export { attribute } from './attribute.js'
export { type CleanUpOptions, cleanUp } from './clean-up.js'
export {
  type CompileInput,
  type CompileOptions,
  type CompileResult,
  type Counts,
  compile,
  type FamilyResult,
  safeCompile,
} from './compile.js'
export type { Backend, Spelling } from './dataplane/language.js'
export type { LanguageName, NodeState } from './dataplane/languages.js'
export type { Parsed } from './dataplane/netfilter/passages.js'
export type { Run } from './dataplane/netfilter/run.js'
export { diff, type FamilyPatch, isEmpty, type ResultPatch } from './diff.js'
export type { Explanation, Why } from './explain/explain.js'
export { printExplanation } from './explain/print-explanation.js'
export { printSurvey } from './explain/print-survey.js'
export type { SurveyedFrontend, SurveyRow } from './explain/survey.js'
export { type ExplainOptions, explain, survey } from './explain.js'
export { type Dump, type ParseOptions, type ParseProblem, type ParseProblemCode, parse } from './parse.js'
export { type PrintStateOptions, print } from './print.js'
export { type ScriptPatchOptions, script } from './script.js'
export type { HostSettings } from './targets/mode.js'
export type { CompiledMode } from './targets/modes.js'
export type { Way } from './trace/trace.js'
export { prepareTrace, type RememberedClient, type Surroundings, surroundingsOf, trace } from './trace.js'
export {
  createTracker,
  type TrackedKind,
  type TrackedObject,
  type Tracker,
  type TrackerOptions,
  type Update,
  type WatchEvent,
} from './tracker.js'
export type { DriftGroup, FamilyReport, VerifyReport } from './verify/report.js'
export { type VerifyOptions, verify } from './verify.js'

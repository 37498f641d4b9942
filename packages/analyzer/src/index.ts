// Types of another package that callers of these functions also need.
export type { IpFamily, Origin, Outcome, Packet, Protocol } from '@kube-rules/types'
export { type CompareOptions, compare } from './compare/compare.js'
export type { Comparison } from './compare/comparison.js'
export type { PasteNote } from './dataplane/netfilter/pasted.js'
export type { TextProblem } from './dataplane/netfilter/text-problem.js'
export {
  type DumpText,
  isEmptyDump,
  type LenientResult,
  type ParseOptions,
  type ParseProblem,
  type ParseProblemCode,
  parseDump,
} from './dump/parse-dump.js'
export { type ExplainOptions, explain, traceAllFrontends } from './explain/explain.js'
export type { Explanation } from './explain/explain-paths.js'
export type { ReachabilityRow } from './explain/reachability.js'
export { type Proof, type ProveOptions, prove } from './prove/prove.js'
export { trace } from './trace/trace.js'
export type { TraceContext } from './trace/trace-context.js'
export type { TracePath } from './trace/trace-paths.js'
export type { VerifyReport } from './verify/report.js'
export { type VerifyOptions, verify } from './verify/verify.js'

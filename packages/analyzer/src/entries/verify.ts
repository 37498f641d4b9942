export {
  type BackendState,
  type DiagnoseNodeOptions,
  diagnoseBackends,
  diagnoseNode,
} from '../diagnose/diagnose-node.js'
export { inferHost } from '../dump/infer-host.js'
export type { Drift, FamilyReport, NodeVerdict } from '../verify/report.js'
export { findVersionsOfDump } from '../verify/verify.js'
export { printReport } from '../view/print-texts.js'

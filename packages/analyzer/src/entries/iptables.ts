export { canonicalizeState } from '../dataplane/iptables/canonical-state.js'
export { checkState, type StructureProblem, type StructureProblemCode } from '../dataplane/iptables/check.js'
export { parseIptables } from '../dataplane/iptables/parse/parse.js'
export type { IptablesProblemCode } from '../dataplane/iptables/parse/problem.js'

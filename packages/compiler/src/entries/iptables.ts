export {
  type AddrtypeMatch,
  type Block,
  type ChainPolicy,
  type CommentMatch,
  type ConntrackMatch,
  type DestinationMatch,
  type DestinationPortMatch,
  type DnatVerdict,
  type InInterfaceMatch,
  type IptablesState,
  type IpvsMatch,
  type MarkMatch,
  type MarkVerdict,
  type MasqueradeVerdict,
  type Match,
  type MatchKind,
  type NfacctMatch,
  type OutInterfaceMatch,
  type PhysdevMatch,
  type ProtocolMatch,
  type RecentMatch,
  type RejectVerdict,
  type Rule,
  rulesIn,
  type SetMatch,
  type SourceMatch,
  type SourcePortMatch,
  type StatisticMatch,
  type Table,
  type TableName,
  type TransportMatch,
  type UnknownMatch,
  type UnknownVerdict,
  type Verdict,
  type VerdictKind,
} from '../dataplane/iptables/ast.js'
export { canonicalRule } from '../dataplane/iptables/canonical.js'
export { canonicalState } from '../dataplane/iptables/canonical-state.js'
export { chainsOf } from '../dataplane/iptables/chains.js'
export { checkState, type StructureProblem, type StructureProblemCode } from '../dataplane/iptables/check.js'
export { parseIptables } from '../dataplane/iptables/parse/parse.js'
export type { IptablesProblemCode } from '../dataplane/iptables/parse/problem.js'
export { printRestore, printRule } from '../dataplane/iptables/print/print.js'
export { printSave } from '../dataplane/iptables/print/print-save.js'
export type { Style } from '../dataplane/iptables/print/style.js'

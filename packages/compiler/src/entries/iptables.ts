export type {
  AddrtypeMatch,
  Block,
  ChainPolicy,
  CommentMatch,
  ConntrackMatch,
  DestinationMatch,
  DestinationPortMatch,
  DnatTarget,
  InInterfaceMatch,
  IptablesState,
  IpvsMatch,
  MarkMatch,
  MarkTarget,
  MasqueradeTarget,
  Match,
  MatchKind,
  NfacctMatch,
  OutInterfaceMatch,
  PhysdevMatch,
  ProtocolMatch,
  RecentMatch,
  RedirectTarget,
  RejectTarget,
  Rule,
  SetMatch,
  SourceMatch,
  SourcePortMatch,
  StateMatch,
  StatisticMatch,
  Table,
  TableName,
  Target,
  TargetKind,
  TransportMatch,
  UnknownMatch,
  UnknownTarget,
} from '../dataplane/iptables/ast.js'
export { canonicalRule } from '../dataplane/iptables/canonical.js'
export { chainsOf } from '../dataplane/iptables/chains.js'
export { blockRules } from '../dataplane/iptables/lazy-block.js'
export { printRestore, printRule } from '../dataplane/iptables/print/print.js'
export { printSave } from '../dataplane/iptables/print/print-save.js'
export type { RuleFormat } from '../dataplane/iptables/print/rule-format.js'

export type {
  AddrtypeMatch,
  Block,
  ChainPolicy,
  CommentMatch,
  ConntrackMatch,
  DestinationMatch,
  DestinationPortMatch,
  DnatVerdict,
  InInterfaceMatch,
  IptablesState,
  IpvsMatch,
  MarkMatch,
  MarkVerdict,
  MasqueradeVerdict,
  Match,
  MatchKind,
  NfacctMatch,
  OutInterfaceMatch,
  PhysdevMatch,
  ProtocolMatch,
  RecentMatch,
  RedirectVerdict,
  RejectVerdict,
  Rule,
  SetMatch,
  SourceMatch,
  SourcePortMatch,
  StateMatch,
  StatisticMatch,
  Table,
  TableName,
  TransportMatch,
  UnknownMatch,
  UnknownVerdict,
  Verdict,
  VerdictKind,
} from '../dataplane/iptables/ast.js'
export { canonicalRule } from '../dataplane/iptables/canonical.js'
export { chainsOf } from '../dataplane/iptables/chains.js'
export { rulesIn } from '../dataplane/iptables/lazy-block.js'
export { printRestore, printRule } from '../dataplane/iptables/print/print.js'
export { printSave } from '../dataplane/iptables/print/print-save.js'
export type { Style } from '../dataplane/iptables/print/style.js'

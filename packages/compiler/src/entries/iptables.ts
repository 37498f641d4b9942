export type {
  IptablesState,
  Match,
  MatchOf,
  Rule,
  RuleBlock,
  Table,
  Target,
  TargetOf,
} from '../dataplane/iptables/ast.js'

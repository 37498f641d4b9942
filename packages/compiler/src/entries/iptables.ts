export type { Block, IptablesState, Match, MatchOf, Rule, Table, Target, TargetOf } from '../dataplane/iptables/ast.js'

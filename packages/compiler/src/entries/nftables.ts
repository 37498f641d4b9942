export type {
  Chain,
  Element,
  NamedObject,
  NamedSet,
  Rule,
  Statement,
  StatementOf,
  Table,
  Verdict,
} from '../dataplane/nftables/ast.js'
export type { NftablesState } from '../dataplane/nftables/state.js'

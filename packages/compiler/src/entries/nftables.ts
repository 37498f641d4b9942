export { type Applied, apply } from '../dataplane/nftables/apply/apply.js'
export type { Refusal, RefusalCode } from '../dataplane/nftables/apply/refusal.js'
export type {
  BaseChain,
  Chain,
  ChainDefinition,
  ChainPolicy,
  CounterStatement,
  Counts,
  DnatStatement,
  Element,
  KeyType,
  MapOperand,
  MarkMatchStatement,
  MarkSetStatement,
  MasqueradeStatement,
  MatchStatement,
  NamedCounter,
  NamedCounterStatement,
  NamedObject,
  NamedSet,
  Operand,
  Operator,
  RejectStatement,
  Rule,
  Selector,
  SetDefinition,
  SetUpdateStatement,
  Statement,
  StatementKind,
  Table,
  TableFamily,
  UnknownJsonStatement,
  UnknownObject,
  UnknownStatement,
  Verdict,
  VmapStatement,
} from '../dataplane/nftables/ast.js'
export { canonical } from '../dataplane/nftables/canonical.js'
export { checkNftables } from '../dataplane/nftables/check.js'
export type {
  AddVerb,
  ChainCommand,
  Command,
  ElementCommand,
  FlushRuleset,
  InTable,
  ObjectCommand,
  RemoveVerb,
  RuleCommand,
  SetCommand,
  TableCommand,
} from '../dataplane/nftables/command.js'
export { asListed } from '../dataplane/nftables/listed.js'
export { parseCommands, parseNftables } from '../dataplane/nftables/parse/parse.js'
export { parseNftablesJson } from '../dataplane/nftables/parse/parse-json.js'
export type { NftablesProblemCode } from '../dataplane/nftables/parse/problem.js'
export { printCommand, printCommands, printTable } from '../dataplane/nftables/print/print-commands.js'
export { type ListingOptions, printListing, printListings } from '../dataplane/nftables/print/print-listing.js'
export type { NftVersion } from '../dataplane/nftables/version.js'

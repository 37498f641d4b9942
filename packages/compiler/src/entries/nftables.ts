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
export { canonicalize } from '../dataplane/nftables/canonical.js'
export type { NftCommand } from '../dataplane/nftables/command.js'
export { toListedForm } from '../dataplane/nftables/listed-form.js'
export { printCommand, printCommands, printTable } from '../dataplane/nftables/print/print-commands.js'
export { type ListingOptions, printListing, printListings } from '../dataplane/nftables/print/print-listing.js'
export type { NftablesState } from '../dataplane/nftables/state.js'
export type { NftVersion } from '../dataplane/nftables/version.js'

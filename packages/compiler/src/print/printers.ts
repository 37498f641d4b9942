import { printBatch } from '../dataplane/addresses/print.js'
import * as ipset from '../dataplane/ipset/print.js'
import { printRestore } from '../dataplane/iptables/print/print.js'
import { printSave } from '../dataplane/iptables/print/print-save.js'
import * as ipvs from '../dataplane/ipvs/print.js'
import { asListed } from '../dataplane/nftables/listed.js'
import { printTable } from '../dataplane/nftables/print/print-commands.js'
import { printListings } from '../dataplane/nftables/print/print-listing.js'
import type { NftablesState } from '../dataplane/nftables/state.js'
import type { StateOf, Subsystem } from '../dataplane/node-state.js'
import type { PrintOptions, Spelling } from '../dataplane/tool-options.js'

/** How the states of a subsystem are printed. */
export interface Printer<State> {
  /** The supported text formats of `print`; the first is the input format of its tool. */
  readonly spellings: readonly Spelling[]
  /**
   * Prints a state in complete lines. Throws for values without a notation, which compiled and parsed states never
   * contain.
   */
  print(state: State, options: PrintOptions): string
}

export const PRINTERS: { readonly [S in Subsystem]: Printer<StateOf<S>> } = {
  nftables: {
    spellings: ['restore', 'save'],
    print: (state, { spelling }) =>
      spelling === 'save' ? printNftablesSave(state) : state.tables.map(printTable).join(''),
  },
  ipset: {
    spellings: ['restore', 'save'],
    print: (state, { spelling }) => (spelling === 'save' ? ipset.printSave(state) : ipset.printRestore(state)),
  },
  ipvs: {
    spellings: ['restore', 'save', 'listing'],
    print: (state, { spelling }) => PRINT_IPVS[spelling](state),
  },
  addresses: { spellings: ['restore'], print: printBatch },
  iptables: {
    spellings: ['restore', 'save'],
    print: (state, { spelling, backend }) =>
      spelling === 'save' ? printSave(state, { backend }) : printRestore(state),
  },
}

const PRINT_IPVS = { restore: ipvs.printRestore, save: ipvs.printSave, listing: ipvs.printListing } as const

/** Prints a state as `nft list ruleset` of nft 1.1 does. */
function printNftablesSave({ tables }: NftablesState): string {
  return printListings(
    tables.map((table) => asListed(table, '1.1')),
    { version: '1.1' },
  )
}

import { printIpBatch } from '../dataplane/addresses/print.js'
import * as ipset from '../dataplane/ipset/print.js'
import type { IptablesState } from '../dataplane/iptables/ast.js'
import { printRestore } from '../dataplane/iptables/print/print.js'
import { printListing } from '../dataplane/iptables/print/print-listing.js'
import { printSave } from '../dataplane/iptables/print/print-save.js'
import * as ipvs from '../dataplane/ipvs/print.js'
import { toListedForm } from '../dataplane/nftables/listed-form.js'
import { printTable } from '../dataplane/nftables/print/print-commands.js'
import { printListings } from '../dataplane/nftables/print/print-listing.js'
import type { NftablesState } from '../dataplane/nftables/state.js'
import type { StateOf, Subsystem } from '../dataplane/node-state.js'
import type { SubsystemFormatOptions, TextFormat } from '../dataplane/tool-options.js'

/** The printing functions of one subsystem. */
export interface SubsystemPrinter<State> {
  /**
   * The text formats that `print` supports for the subsystem. The first format is the input of the tool that loads the
   * subsystem.
   */
  readonly formats: readonly TextFormat[]
  /**
   * Prints a state in complete lines. Throws for values that have no notation; compiled and parsed states never contain
   * such values.
   */
  print(state: State, options: SubsystemFormatOptions): string
}

export const SUBSYSTEM_PRINTERS: { readonly [S in Subsystem]: SubsystemPrinter<StateOf<S>> } = {
  nftables: {
    formats: ['restore', 'save'],
    print: (state, { format }) =>
      format === 'save' ? printNftablesSave(state) : state.tables.map(printTable).join(''),
  },
  ipset: {
    formats: ['restore', 'save'],
    print: (state, { format }) => (format === 'save' ? ipset.printSave(state) : ipset.printRestore(state)),
  },
  ipvs: {
    formats: ['restore', 'save', 'listing'],
    print: (state, { format }) => PRINT_IPVS[format](state),
  },
  addresses: { formats: ['restore'], print: printIpBatch },
  iptables: {
    formats: ['restore', 'save', 'listing'],
    print: (state, options) => PRINT_IPTABLES[options.format](state, options),
  },
}

const PRINT_IPTABLES = {
  restore: printRestore,
  save: printSave,
  listing: (state: IptablesState, { listing }: SubsystemFormatOptions) => printListing(state, listing),
} as const

const PRINT_IPVS = { restore: ipvs.printRestore, save: ipvs.printSave, listing: ipvs.printListing } as const

/** Prints a state in the format of `nft list ruleset` of nft 1.1. */
function printNftablesSave({ tables }: NftablesState): string {
  return printListings(
    tables.map((table) => toListedForm(table, '1.1')),
    { version: '1.1' },
  )
}

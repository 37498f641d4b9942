import type { StateOf, Subsystem } from '@kube-rules/compiler/internal/dataplane/node-state'
import type { SubsystemFormatOptions } from '@kube-rules/compiler/internal/dataplane/tool-options'
import { SUBSYSTEM_PRINTERS, type SubsystemPrinter } from '@kube-rules/compiler/internal/print/subsystem-printers'
import { originsOfLines as originsOfAddresses } from '../dataplane/addresses/origins-of-lines.js'
import { originsOfLines as originsOfSets } from '../dataplane/ipset/origins-of-lines.js'
import { printStateLines } from '../dataplane/iptables/print-state-lines.js'
import { originsOfLines as originsOfServers } from '../dataplane/ipvs/origins-of-lines.js'
import type { CreateLine, LineCache, LineOrigin } from '../dataplane/netfilter/line-origin.js'
import { splitLinesWithOrigins } from '../dataplane/netfilter/lines-with-origins.js'
import { originsOfLines as originsOfTables } from '../dataplane/nftables/origins/origins-of-lines.js'

/** Prints the states of a subsystem line by line. */
export interface SubsystemLinePrinter<State> {
  /**
   * Prints the state like `print`, and creates each line with `createLine`. Reuses the lines of unchanged parts in the
   * cache `known`, which must have been filled with the same options and the same `createLine`.
   */
  linesOf<Line>(
    state: State,
    options: SubsystemFormatOptions,
    make: CreateLine<Line>,
    known: LineCache,
  ): readonly Line[]
}

export const LINE_PRINTERS: { readonly [S in Subsystem]: SubsystemLinePrinter<StateOf<S>> } = {
  nftables: withOrigins(SUBSYSTEM_PRINTERS.nftables, originsOfTables),
  ipset: withOrigins(SUBSYSTEM_PRINTERS.ipset, originsOfSets),
  ipvs: withOrigins(SUBSYSTEM_PRINTERS.ipvs, originsOfServers),
  addresses: withOrigins(SUBSYSTEM_PRINTERS.addresses, originsOfAddresses),
  iptables: { linesOf: printStateLines },
}

function withOrigins<State>(
  { print }: SubsystemPrinter<State>,
  originsOf: (lines: readonly string[], state: State, options: SubsystemFormatOptions) => readonly LineOrigin[],
): SubsystemLinePrinter<State> {
  return {
    linesOf: (state, options, make) =>
      splitLinesWithOrigins(print(state, options), (lines) => originsOf(lines, state, options), make),
  }
}

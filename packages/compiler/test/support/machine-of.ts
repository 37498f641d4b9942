import type { CompileResult } from '../../src/compilation/compile-result.js'
import { print } from '../../src/print/print.js'
import { iptablesStates } from './compiled.js'
import { loaded, textsOf } from './iptables-states.js'
import { EMPTY_MACHINE, type Machine } from './machine.js'
import { afterNft, textsOfTables } from './nft-interpreter.js'

/** Builds a machine with only the full text of a result, limited to iptables and nft. */
export function machineOf(result: CompileResult | undefined): Machine {
  if (result === undefined) return EMPTY_MACHINE
  const tables = Object.fromEntries(iptablesStates(result).map((state) => [state.family, loaded(state)]))
  const commands = result.families.map(({ state }) => (state.nftables ? print(state, { subsystem: 'nftables' }) : ''))
  return { ...EMPTY_MACHINE, ...tables, nft: afterNft([], commands.join('')) }
}

/** Returns the texts of the machine's rules, to compare. */
export function textsOfMachine({ IPv4, IPv6, nft }: Machine) {
  return { IPv4: textsOf(IPv4), IPv6: textsOf(IPv6), nft: textsOfTables(nft) }
}

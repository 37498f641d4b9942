import type { CompileResult } from '../../src/compilation/compile-result.js'
import { iptablesStates } from './compiled.js'
import { loaded, textsOf } from './iptables-states.js'
import { EMPTY_MACHINE, type Machine } from './machine.js'

/** The machine on which nothing but the full text of a result was loaded, as far as iptables goes. */
export function machineOf(result: CompileResult | undefined): Machine {
  const states = result === undefined ? [] : iptablesStates(result)
  return { ...EMPTY_MACHINE, ...Object.fromEntries(states.map((state) => [state.family, loaded(state)])) }
}

/** The texts of its rules, to compare. */
export function textsOfMachine({ IPv4, IPv6 }: Machine) {
  return { IPv4: textsOf(IPv4), IPv6: textsOf(IPv6) }
}

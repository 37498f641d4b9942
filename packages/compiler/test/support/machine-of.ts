import { IP_FAMILIES, type IpFamily } from '@kube-rules/types'
import type { CompileResult } from '../../src/compilation/compile-result.js'
import type { Element, Table } from '../../src/dataplane/nftables/ast.js'
import type { ResultPatch } from '../../src/diff/diff.js'
import { resourceIdOf } from '../../src/patch/patch.js'
import { print } from '../../src/print/print.js'
import { isSharedChain } from '../../src/targets/shared/kube-chains.js'
import { iptablesStates } from './compiled.js'
import { loaded, textsOf } from './iptables-states.js'
import { EMPTY_MACHINE, type Machine } from './machine.js'
import { afterNft, textsOfTables } from './nft-interpreter.js'
import type { HeldTables } from './restore-interpreter.js'

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

/** An update of a machine that has the rules of a result. */
export interface MachineUpdate {
  readonly machine: Machine
  readonly previous: CompileResult | undefined
  readonly next: CompileResult | undefined
  readonly patch: ResultPatch
}

/**
 * Builds the machine after an update. It has the full text of the next result, and what kube-proxy leaves as it is: the
 * chain KUBE-MARK-DROP, the chain KUBE-FIREWALL unless the patch changes it as its own, and comments of nftables elements.
 */
export function machineAfter({ machine, previous, next, patch }: MachineUpdate): Machine {
  const full = machineOf(next)
  const tablesOf = (family: IpFamily): HeldTables => {
    const own = withChainsOf(full[family], machine[family], 'nat', ['KUBE-MARK-DROP'])
    return keepsFirewall(patch, family) ? withChainsOf(own, machine[family], 'filter', ['KUBE-FIREWALL']) : own
  }
  const nft = keepsComments(previous, next)
    ? full.nft.map((table) => withComments(table, machine.nft.find(isSameTable(table))))
    : full.nft
  return { IPv4: tablesOf('IPv4'), IPv6: tablesOf('IPv6'), nft }
}

/**
 * Removes the jumps to KUBE-FIREWALL of the families in which a patch preserves the chain. A preserved jump stays at its
 * place among the other jumps.
 */
export function withoutPreservedJumps(machine: Machine, patch: ResultPatch): Machine {
  const tables = IP_FAMILIES.map((family) => {
    if (!keepsFirewall(patch, family)) return [family, machine[family]] as const
    const chains = [...(machine[family].get('filter') ?? [])].map(
      ([chain, rules]) => [chain, rules.filter(({ spec }) => spec !== '-j KUBE-FIREWALL')] as const,
    )
    return [family, new Map(machine[family]).set('filter', new Map(chains))] as const
  })
  return { ...machine, ...Object.fromEntries(tables) }
}

/**
 * Reports whether a patch preserves KUBE-FIREWALL, or does not mention the chain or the family, which an earlier patch
 * preserved.
 */
function keepsFirewall({ families }: ResultPatch, family: IpFamily): boolean {
  return families.every(
    (each) =>
      each.family !== family ||
      each.keepsSharedChains === true ||
      !each.patch.changes.some((change) => isSharedChain(resourceIdOf(change))),
  )
}

/** Adds the rules that these chains have in `previous`, before their own other rules. */
function withChainsOf(tables: HeldTables, previous: HeldTables, table: string, names: readonly string[]): HeldTables {
  const chains = new Map(tables.get(table))
  for (const name of names) {
    const kept = previous.get(table)?.get(name)
    if (kept === undefined) continue
    const own = chains.get(name) ?? []
    chains.set(name, [...kept, ...own.filter(({ spec }) => kept.every((rule) => rule.spec !== spec))])
  }
  return new Map(tables).set(table, chains)
}

function keepsComments(previous: CompileResult | undefined, next: CompileResult | undefined): boolean {
  const [before, after] = [previous?.families[0]?.plan, next?.families[0]?.plan]
  if (before === undefined || after === undefined) return false
  const { elementCommentsKept, fullSyncsWriteElements } = after.kernel.features
  return elementCommentsKept && !(fullSyncsWriteElements && before.node.zone !== after.node.zone)
}

function isSameTable({ family, name }: Table): (other: Table) => boolean {
  return (other) => other.family === family && other.name === name
}

function withComments(table: Table, previous: Table | undefined): Table {
  const sets = table.sets.map((set) => {
    const kept = new Map(previous?.sets.find(({ name }) => name === set.name)?.elements.map((each) => [each.key, each]))
    return { ...set, elements: set.elements.map((each) => withComment(each, kept.get(each.key))) }
  })
  return { ...table, sets }
}

function withComment(element: Element, previous: Element | undefined): Element {
  const isKept = JSON.stringify(previous?.verdict) === JSON.stringify(element.verdict)
  return isKept && previous !== undefined ? { ...element, comment: previous.comment } : element
}

import type { PhasedCommand } from '../../netfilter/tool-command.js'
import type { Rule } from '../ast.js'
import { rulesOfResource } from '../resources.js'
import type { TableChanges } from './table-changes.js'

/**
 * Returns the commands that create the missing counters (nfacct) of added rules. iptables-restore rejects a rule that
 * refers to a missing counter. Mirrors `EnsureCounters` of kube-proxy v1.32, which creates all counters when kube-proxy
 * starts.
 */
export function toCounterCommands(tables: readonly TableChanges[]): readonly PhasedCommand[] {
  const names = new Set<string>()
  for (const { created, updated, edited } of tables) {
    for (const resource of created) addCounters(names, rulesOfResource(resource))
    for (const { after } of updated) addCounters(names, rulesOfResource(after))
    for (const { splices } of edited)
      for (const { inserted } of splices) addCounters(names, inserted as readonly Rule[])
  }
  return Array.from(names, (name) => ({
    phase: 'provide',
    command: {
      tool: 'nfacct',
      args: ['add', name],
      input: '',
      purpose: `create counter ${name}`,
      skipIf: ['get', name],
    },
  }))
}

function addCounters(names: Set<string>, rules: readonly Rule[]): void {
  for (const { matches } of rules) for (const match of matches) if (match.kind === 'nfacct') names.add(match.name)
}

import type { IptablesState, TableName } from '../../src/dataplane/iptables/ast.js'
import { diffCanonical } from '../../src/dataplane/iptables/diff-state.js'
import type { Backend } from '../../src/dataplane/iptables/print-save.js'
import { planIptables } from '../../src/dataplane/iptables/script.js'
import type { Stage } from '../../src/dataplane/netfilter/stage.js'
import { parsed } from './real-inputs.js'

/** The runs that make the rules of a machine, of which this is the dump, those of a state; chains of others stay. */
export function repairStages(wanted: IptablesState, dump: string, backend: Backend): readonly Stage[] {
  const { family } = wanted
  return planIptables(diffCanonical(parsed(dump, family), wanted, isOurs), { family, backend })
}

function isOurs(_: TableName, chain: string): boolean {
  return chain.startsWith('KUBE-')
}

import type { Statement, Table } from '../../dataplane/nftables/ast.js'
import type { NftablesState } from '../../dataplane/nftables/state.js'
import {
  FIREWALL_IPS,
  HAIRPIN_CONNECTIONS,
  isServicePortName,
  isTableOfKubeProxy,
  LOCALHOST_REJECT_PORTS,
} from './fixed-names.js'

/**
 * Which kube-proxy has written the table. What an older one has left beside it does not count: base chains of its own names
 * stay, those of the same name are made anew.
 */
export function writtenBy({ tables }: NftablesState): readonly string[] | undefined {
  const table = tables.find(isTableOfKubeProxy)
  const input = table?.chains.find(({ name }) => name === 'filter-input')
  if (table === undefined || input?.base === undefined) return undefined
  if (input.base.priority < 0) return earlyVersions(table)
  const isSquashed = table.sets.some(({ name }) => name === HAIRPIN_CONNECTIONS)
  return isSquashed ? squashedVersions(table) : ['1.34', '1.35']
}

/** Elements of firewall-ips have comments until 1.31. */
function earlyVersions({ sets }: Table): readonly string[] {
  const [element] = sets.find(({ name }) => name === FIREWALL_IPS)?.elements ?? []
  if (element === undefined) return ['1.30', '1.31', '1.32', '1.33']
  return element.comment === undefined ? ['1.32', '1.33'] : ['1.30', '1.31']
}

/** From 1.37 on a single endpoint needs no map, and node ports may be refused on loopback addresses. */
function squashedVersions({ chains, sets }: Table): readonly string[] {
  if (sets.some(({ name }) => name === LOCALHOST_REJECT_PORTS)) return ['1.37']
  const own = chains.filter(({ name }) => isServicePortName(name) && !name.startsWith('endpoint-'))
  const statements = own.flatMap(({ rules }) => rules.flatMap((rule) => rule.statements))
  if (statements.some(isDnatToAddress)) return ['1.37']
  return statements.some(isDnatToOneOfOne) ? ['1.36'] : ['1.36', '1.37']
}

function isDnatToAddress(statement: Statement): boolean {
  return statement.kind === 'dnat' && statement.to.kind === 'address'
}

function isDnatToOneOfOne(statement: Statement): boolean {
  return statement.kind === 'dnat' && statement.to.kind === 'map' && statement.to.elements.length === 1
}

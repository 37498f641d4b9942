import type { Statement, Table } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import type { NftablesState } from '@kube-rules/compiler/internal/dataplane/nftables/state'
import { type Features, findVersionsWithFeatures } from '@kube-rules/compiler/internal/model/configuration/features'
import {
  FIREWALL_ALLOW_SET,
  FIREWALL_IPS_MAP,
  HAIRPIN_CONNECTIONS_SET,
  isKubeProxyTable,
  isServicePortObjectName,
  LOCALHOST_REJECT_PORTS_MAP,
} from '@kube-rules/compiler/internal/targets/nftables/static-names'

/**
 * Returns the kube-proxy versions that write such a table, oldest first. Leftovers of an older version are ignored. Old
 * base chains remain if a newer version uses other names. If the names are the same, the newer version has recreated
 * these chains.
 */
export function inferVersions({ tables }: NftablesState): readonly string[] | undefined {
  const table = tables.find(isKubeProxyTable)
  const features = table && featuresIn(table)
  return features && findVersionsWithFeatures('nftables', features)
}

/** Returns the features that can be recognized in a table. */
function featuresIn(table: Table): Partial<Features> | undefined {
  const input = table.chains.find(({ name }) => name === 'filter-input')
  if (input?.base === undefined) return undefined
  const alphaTable = table.sets.some(({ name }) => name === FIREWALL_ALLOW_SET)
  if (alphaTable) return { alphaTable }
  const earlyFilters = input.base.priority < 0
  if (earlyFilters) return { alphaTable, earlyFilters, ...featuresOfElements(table) }
  const squashedEndpoints = table.sets.some(({ name }) => name === HAIRPIN_CONNECTIONS_SET)
  return { earlyFilters, squashedEndpoints, ...(squashedEndpoints ? featuresOfEndpoints(table) : {}) }
}

function featuresOfElements({ sets }: Table): Partial<Features> {
  const [element] = sets.find(({ name }) => name === FIREWALL_IPS_MAP)?.elements ?? []
  return element === undefined ? {} : { firewallElementComments: element.comment !== undefined }
}

/**
 * Returns the features that a service port with exactly one endpoint shows: whether the version uses a map for one
 * endpoint.
 */
function featuresOfEndpoints({ chains, sets }: Table): Partial<Features> {
  if (sets.some(({ name }) => name === LOCALHOST_REJECT_PORTS_MAP)) return { rejectedLocalhostNodePorts: true }
  const own = chains.filter(({ name }) => isServicePortObjectName(name) && !name.startsWith('endpoint-'))
  const statements = own.flatMap(({ rules }) => rules.flatMap((rule) => rule.statements))
  if (statements.some(isDnatToAddress)) return { singleEndpointDnat: true }
  return statements.some(isDnatToOneOfOne) ? { singleEndpointDnat: false } : {}
}

function isDnatToAddress(statement: Statement): boolean {
  return statement.kind === 'dnat' && statement.to.kind === 'address'
}

function isDnatToOneOfOne(statement: Statement): boolean {
  return statement.kind === 'dnat' && statement.to.kind === 'map' && statement.to.elements.length === 1
}

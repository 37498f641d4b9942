import { tableId, tableResource } from '../../dataplane/nftables/resources.js'
import type { ModeOwnership } from '../ownership.js'
import { tableOf } from './fixed-names.js'
import { tableOwnership } from './resource-ownership.js'

/** The ownership of resources in mode `nftables`. */
export const nftablesOwnership: ModeOwnership = {
  resources: ({ family }) => ({ nftables: tableOwnership(family) }),
  isModeSpecific: (id) => TABLES.some((table) => id === table || id.startsWith(`${table} `)),
  fixed: (family) => [tableResource(tableOf(family))],
}

const TABLES: readonly string[] = [tableId(tableOf('IPv4')), tableId(tableOf('IPv6'))]

import { createTableResource, formatTableId } from '../../dataplane/nftables/resources.js'
import type { ModeOwnership } from '../ownership.js'
import { tableOwnership } from './resource-ownership.js'
import { tableNameOf } from './static-names.js'

/** The ownership of resources in mode `nftables`. */
export const nftablesOwnership: ModeOwnership = {
  resources: ({ family }) => ({ nftables: tableOwnership(family) }),
  isModeSpecific: (id) => TABLES.some((table) => id === table || id.startsWith(`${table} `)),
  staticResources: (family) => [createTableResource(tableNameOf(family))],
}

const TABLES: readonly string[] = [formatTableId(tableNameOf('IPv4')), formatTableId(tableNameOf('IPv6'))]

import { tableId, tableResource } from '../../dataplane/nftables/resources.js'
import type { LiveMode } from '../live-mode.js'
import { attributeTable } from './attribute-table.js'
import { cleanUp } from './clean-up.js'
import { tableCustody } from './custody.js'
import { EXPLANATIONS } from './explanations.js'
import { fillInTable } from './fill-in-table.js'
import { tableOf } from './fixed-names.js'
import { readFrontends } from './read-frontends.js'
import { readPodTraffic } from './read-pod-traffic.js'
import { writtenBy } from './written-by.js'

/** Mode `nftables` on a node. */
export const liveNftablesMode: LiveMode = {
  attribute: (live) => (live.nftables === undefined ? live : { ...live, nftables: attributeTable(live.nftables) }),
  fillIn: (live) =>
    live.nftables === undefined ? live : { ...live, nftables: fillInTable(live.nftables, live.fragment, live.family) },
  frontends: ({ nftables }) => (nftables === undefined ? [] : readFrontends(nftables)),
  podTraffic: ({ nftables }) => nftables && readPodTraffic(nftables),
  writtenBy: ({ nftables }) => nftables && writtenBy(nftables),
  custody: ({ family }) => ({ nftables: tableCustody(family) }),
  leavesBehind: (id) => TABLES.some((table) => id === table || id.startsWith(`${table} `)),
  fixed: (family) => [tableResource(tableOf(family))],
  cleanUp,
  explanations: EXPLANATIONS,
}

const TABLES: readonly string[] = [tableId(tableOf('IPv4')), tableId(tableOf('IPv6'))]

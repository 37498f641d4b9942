import { splitConcatenation } from '@kube-rules/compiler/internal/dataplane/nftables/keys/key-components'
import { formatElementId } from '@kube-rules/compiler/internal/dataplane/nftables/resources'
import type { NftablesState } from '@kube-rules/compiler/internal/dataplane/nftables/state'
import {
  isKubeProxyTable,
  NO_ENDPOINT_NODE_PORTS_MAP,
  NO_ENDPOINT_SERVICES_MAP,
  SERVICE_IPS_MAP,
  SERVICE_NODE_PORTS_MAP,
} from '@kube-rules/compiler/internal/targets/nftables/static-names'
import { PROTOCOLS_BY_NAME } from '@kube-rules/types/internal/protocol'
import type { StateFrontend } from '../state-frontend.js'
import { findTableOwners } from './find-table-owners.js'

/** The maps that kube-proxy uses for matching the destination of a packet. */
const DISPATCH_MAPS: ReadonlySet<string> = new Set([
  SERVICE_IPS_MAP,
  NO_ENDPOINT_SERVICES_MAP,
  SERVICE_NODE_PORTS_MAP,
  NO_ENDPOINT_NODE_PORTS_MAP,
])

/** Returns the distinct frontends in the maps of a state. */
export function readFrontends(state: NftablesState): readonly StateFrontend[] {
  const owners = findTableOwners(state)
  const frontends = new Map<string, StateFrontend>()
  for (const table of state.tables.filter(isKubeProxyTable)) {
    for (const { name, elements } of table.sets) {
      if (!DISPATCH_MAPS.has(name)) continue
      for (const element of elements) {
        const frontend = frontendOf(element.key, owners.get(formatElementId(table, { set: name, element })) ?? '')
        if (frontend !== undefined && !frontends.has(element.key)) frontends.set(element.key, frontend)
      }
    }
  }
  return [...frontends.values()]
}

/** Parses `10.96.0.1 . tcp . 80`, or `tcp . 30080`. */
function frontendOf(key: string, owner: string): StateFrontend | undefined {
  const [port, word = '', address] = [...splitConcatenation(key)].reverse()
  const protocol = PROTOCOLS_BY_NAME.get(word)
  return protocol === undefined ? undefined : { owner, protocol, address, port: Number(port) }
}

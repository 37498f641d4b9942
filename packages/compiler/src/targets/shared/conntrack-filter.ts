import type { IpFamily } from '@kube-rules/types'
import type { ConntrackEntryFilter } from '../../dataplane/conntrack/ast.js'
import type { StaleConnection } from '../../plan/stale-connection.js'

/** Converts a stale connection of this family to a conntrack filter. */
export function toConntrackFilter(stale: StaleConnection, family: IpFamily): ConntrackEntryFilter {
  const common = { family, protocol: 'udp' } as const
  switch (stale.kind) {
    case 'address':
      return { kind: 'ip', ...common, originalDestination: stale.address }
    case 'addressAndEndpoint':
      return { kind: 'nat', ...common, originalDestination: stale.address, natDestination: stale.endpoint }
    case 'nodePort':
      return { kind: 'port', ...common, destinationPort: stale.port }
    case 'nodePortAndEndpoint':
      return { kind: 'portnat', ...common, destinationPort: stale.port, natDestination: stale.endpoint }
  }
}

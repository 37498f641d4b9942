import type { NodeState } from '../../src/dataplane/node-state.js'

/** Copies the rules without their contributions. */
export function apart({ family, iptables, ipset, ipvs, addresses, nftables }: NodeState): NodeState {
  return {
    family,
    ...(iptables && {
      iptables: {
        family,
        tables: iptables.tables.map(({ name, policies, jumps, blocks }) => ({
          ...{ name, jumps, blocks },
          ...(policies && { policies }),
        })),
      },
    }),
    ...(ipset && { ipset: { sets: ipset.sets } }),
    ...(ipvs && { ipvs: { virtualServers: ipvs.virtualServers, contributions: ipvs.contributions } }),
    ...(addresses && { addresses }),
    ...(nftables && { nftables: { tables: nftables.tables, contributions: nftables.contributions } }),
  }
}

import type { IpSet } from '@kube-rules/compiler/internal/dataplane/ipset/ast'
import { formatEntry, parseEntry } from '@kube-rules/compiler/internal/dataplane/ipset/entries'
import type { NodeState } from '@kube-rules/compiler/internal/dataplane/node-state'
import { joinHostPort } from '@kube-rules/types/internal/ip'
import type { StepChange } from './step-change.js'

/** A change of an entry of a set, or of a real server. */
export type ElementChange = Extract<StepChange, { readonly kind: 'addSetEntry' | 'setServerWeight' }>

/** Returns the state with the changed set or server. Undefined if the state does not have the set or the server. */
export function changeElement(state: NodeState, change: ElementChange): NodeState | undefined {
  return change.kind === 'addSetEntry' ? addEntry(state, change) : setWeight(state, change)
}

type AddedEntry = Extract<ElementChange, { readonly kind: 'addSetEntry' }>
type ChangedWeight = Extract<ElementChange, { readonly kind: 'setServerWeight' }>

function addEntry(state: NodeState, { set: name, entry: text }: AddedEntry): NodeState | undefined {
  const { ipset } = state
  if (ipset?.sets.some((set) => set.name === name) !== true) return undefined
  const sets = ipset.sets.map((set) => (set.name === name ? withEntry(set, text) : set))
  return { ...state, ipset: { ...ipset, sets } }
}

/** Adds an entry. A set of an unknown type stays, because the notation of its entries is unknown. */
function withEntry(set: IpSet, text: string): IpSet {
  if (set.type === 'unknown' || set.entries.some((entry) => formatEntry(entry) === text)) return set
  return { ...set, entries: [...set.entries, parseEntry(set.type, text)] } as IpSet
}

function setWeight(
  state: NodeState,
  { protocol, virtualServer, realServer, weight }: ChangedWeight,
): NodeState | undefined {
  const { ipvs } = state
  let isFound = false
  const virtualServers = ipvs?.virtualServers.map((server) => {
    if (server.protocol !== protocol || joinHostPort(server.address, server.port) !== virtualServer) return server
    const realServers = server.realServers.map((real) => {
      if (joinHostPort(real.address, real.port) !== realServer) return real
      isFound = true
      return { ...real, weight }
    })
    return { ...server, realServers }
  })
  return ipvs && virtualServers && isFound ? { ...state, ipvs: { ...ipvs, virtualServers } } : undefined
}

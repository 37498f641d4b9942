// The declarations of a library on top of the packages name no internal module.
import { parseDump, trace, verify } from '@kube-rules/analyzer'
import { compile, createTracker, diff, runCommands, toCommands } from '@kube-rules/compiler'

export const result = compile({ services: [] })
export const family = result.families[0]
export const counts = result.counts
export const plan = family?.plan
export const services = family?.plan.services
export const frontends = family?.plan.services[0]?.frontends
export const hostRequirements = family?.hostRequirements
export const healthCheckNodePorts = family?.healthCheckNodePorts
export const iptables = family?.state.iptables
export const tables = family?.state.iptables?.tables
export const ipset = family?.state.ipset
export const ipvs = family?.state.ipvs
export const virtualServers = family?.state.ipvs?.virtualServers
export const nftables = family?.state.nftables
export const addresses = family?.state.addresses
export const patch = diff(undefined, result)
export const familyPatch = patch.families[0]
export const change = patch.families[0]?.patch
export const staleConnections = patch.families[0]?.staleConnections
export const commands = toCommands(patch)
export const run = runCommands
export const tracker = createTracker()
export const { upsert, replace } = tracker
export const dump = parseDump('')
export const follow = trace
export const check = verify

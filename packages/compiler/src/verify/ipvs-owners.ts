import type { IpFamily } from '@kube-rules/types'
import type { Entry } from '../dataplane/ipset/ast.js'
import { entryText } from '../dataplane/ipset/entries.js'
import { setId } from '../dataplane/netfilter/set-id.js'
import type { Resource } from '../diff/resource.js'
import type { Plan } from '../plan/plan.js'
import { addressResource } from '../targets/ipvs/address-resources.js'
import { metServers } from '../targets/ipvs/met-servers.js'
import { kernelSetName, type SetName } from '../targets/ipvs/sets.js'
import type { IpvsModeState } from '../targets/ipvs/state.js'

/**
 * The service port of a resource of mode ipvs; empty for what no service port asks for. Of several the one that has a
 * virtual server, and the first for what they share: entries of sets and addresses.
 */
export function ipvsOwners(state: IpvsModeState, plan: Plan): (resource: Resource) => string {
  const owners = new Map<string, string>()
  const add = (resource: string, place: number): void => {
    const id = plan.services[place]?.id
    if (id !== undefined && !owners.has(resource)) owners.set(resource, `${id.text}/${id.protocol}`)
  }
  for (const [id, { place }] of metServers(state.services)) add(id, place)
  for (const [place, service] of state.services.entries()) {
    for (const { set, entry } of service.setEntries) add(entryId(set, entry, state.family), place)
    for (const address of service.boundAddresses) {
      add(addressResource(address).id, place)
      add(entryId('KUBE-IPVS-IPS', { kind: 'ip', address }, state.family), place)
    }
  }
  return ({ id, refs }) => owners.get(id) ?? owners.get(refs[0] ?? '') ?? ''
}

function entryId(set: SetName, entry: Entry, family: IpFamily): string {
  return `${setId(kernelSetName(set, family))} ${entryText(entry)}`
}

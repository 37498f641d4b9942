import type { IpFamily } from '@kube-rules/types'
import type { Entry } from '../dataplane/ipset/ast.js'
import { entryText } from '../dataplane/ipset/entries.js'
import { virtualServerId } from '../dataplane/ipvs/resources.js'
import { setId } from '../dataplane/netfilter/set-id.js'
import type { Resource } from '../diff/resource.js'
import type { Plan } from '../plan/plan.js'
import { addressResource } from '../targets/ipvs/address-resources.js'
import { kernelSetName, type SetName } from '../targets/ipvs/sets.js'
import type { IpvsModeState } from '../targets/ipvs/state.js'

/** The service port of a resource of mode ipvs, the first of several; empty for what no service port asks for. */
export function ipvsOwners(state: IpvsModeState, plan: Plan): (resource: Resource) => string {
  const owners = new Map<string, string>()
  for (const [index, service] of state.services.entries()) {
    const id = plan.services[index]?.id
    const add = (resource: string): void => {
      if (id !== undefined && !owners.has(resource)) owners.set(resource, `${id.text}/${id.protocol}`)
    }
    for (const server of [...service.virtualServers, ...service.nodePortServers]) add(virtualServerId(server))
    for (const { set, entry } of service.setEntries) add(entryId(set, entry, state.family))
    for (const address of service.boundAddresses) {
      add(addressResource(address).id)
      add(entryId('KUBE-IPVS-IPS', { kind: 'ip', address }, state.family))
    }
  }
  return ({ id, refs }) => owners.get(id) ?? owners.get(refs[0] ?? '') ?? ''
}

function entryId(set: SetName, entry: Entry, family: IpFamily): string {
  return `${setId(kernelSetName(set, family))} ${entryText(entry)}`
}

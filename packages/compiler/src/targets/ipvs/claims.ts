import type { IpFamily } from '@kube-rules/types'
import { entryText } from '../../dataplane/ipset/entries.js'
import { entryResource } from '../../dataplane/ipset/resources.js'
import type { VirtualServer } from '../../dataplane/ipvs/ast.js'
import { realServerLine, virtualServerLine } from '../../dataplane/ipvs/print.js'
import { virtualServerResources } from '../../dataplane/ipvs/resources.js'
import type { Resource } from '../../diff/resource.js'
import { addressResource } from './address-resources.js'
import { metServers } from './met-servers.js'
import type { ServiceEntries } from './service-entries.js'
import { type SetEntry, setDefinition } from './sets.js'
import { boundEntry } from './views.js'

/** Something that a service port wants to exist. Several may want the same: it exists as long as one of them does. */
export type Claim = ServerClaim | EntryClaim | AddressClaim

export interface ServerClaim {
  readonly kind: 'server'
  readonly server: VirtualServer
  readonly isNodePort: boolean
}

interface EntryClaim {
  readonly kind: 'entry'
  readonly entry: SetEntry
}

/** An address on the device, and its entry in the set of these addresses. */
interface AddressClaim {
  readonly kind: 'address'
  readonly address: string
}

/** What a service port claims, each once: by a text that all claims to the same thing share. */
export type Claims = ReadonlyMap<string, Claim>

export function claimsOf(service: ServiceEntries): Claims {
  const { setEntries, boundAddresses } = service
  const claims = new Map<string, Claim>()
  for (const [id, { server, isNodePort }] of metServers([service])) {
    claims.set(id, { kind: 'server', server, isNodePort })
  }
  for (const entry of setEntries) claims.set(`${entry.set} ${entryText(entry.entry)}`, { kind: 'entry', entry })
  for (const address of boundAddresses) claims.set(address, { kind: 'address', address })
  return claims
}

/** What exists where the claim is met. */
export function claimResources(claim: Claim, family: IpFamily): readonly Resource[] {
  switch (claim.kind) {
    case 'server':
      return virtualServerResources(claim.server)
    case 'entry':
      return [setEntryResource(claim.entry, family)]
    case 'address':
      return [addressResource(claim.address), setEntryResource(boundEntry(claim.address), family)]
  }
}

function setEntryResource({ set, entry }: SetEntry, family: IpFamily): Resource {
  return entryResource(setDefinition(set, family), entry)
}

/** What is said of the thing, beside its key: two claims to one thing with the same text have the same resources. */
export function claimText(claim: Claim): string {
  if (claim.kind !== 'server') return ''
  const { server } = claim
  const realServers = server.realServers.map((realServer) => realServerLine('-a', server, realServer))
  return [virtualServerLine('-A', server), ...realServers.sort()].join('\n')
}

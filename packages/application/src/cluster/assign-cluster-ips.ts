import { IP_FAMILIES, type IpFamily, parseIp, type Service } from '@kube-rules/types'
import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { InputError } from '../messages/errors.js'

/**
 * Assigns cluster IPs to Services that lack one, as an API server would. The addresses come from a network reserved for
 * tests (RFC 2544, RFC 5180).
 *
 * Each address follows from namespace and name, so that it is stable when Services are added or removed. On a
 * collision, also with an address in the input, the later Service by name takes the next free address. The default is
 * one family, IPv4, unless `ipFamilies` or `ipFamilyPolicy` request another. For a Service in `known` with the same
 * addresses, the previously created object is returned.
 */
export function assignClusterIPs(
  services: readonly Service[],
  known: WeakMap<Service, Service> = new WeakMap(),
): readonly Service[] {
  const taken = new Set(services.flatMap(addressesOf))
  const wanting = services.filter(needsClusterIP).sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  const assigned = new Map(wanting.map((service) => [service, withClusterIPs(service, taken, known)]))
  return services.map((service) => assigned.get(service) ?? service)
}

/** Reports whether an API server would assign a cluster IP to the Service. */
export function needsClusterIP({ spec }: Service): boolean {
  return spec !== undefined && spec !== null && !spec.clusterIP && spec.type !== 'ExternalName'
}

function addressesOf({ spec }: Service): readonly string[] {
  return [spec?.clusterIP, ...(spec?.clusterIPs ?? [])].flatMap((text) => parseIp(text ?? '')?.text ?? [])
}

function keyOf({ metadata }: Service): string {
  return `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`
}

function withClusterIPs(service: Service, taken: Set<string>, known: WeakMap<Service, Service>): Service {
  const ipFamilies = familiesOf(service)
  const clusterIPs = ipFamilies.map((family) => freeAddress(family, keyOf(service), taken))
  const before = known.get(service)
  if (before?.spec?.clusterIPs?.join() === clusterIPs.join()) return before
  const assigned = { ...service, spec: { ...service.spec, clusterIP: clusterIPs[0], clusterIPs, ipFamilies } }
  known.set(service, assigned)
  return assigned
}

/** Returns the families that the API server of a dual-stack cluster with IPv4 as primary family fills in. */
function familiesOf({ spec }: Service): readonly IpFamily[] {
  const given = IP_FAMILIES.filter((family) => spec?.ipFamilies?.includes(family))
  const first = spec?.ipFamilies?.[0] === 'IPv6' ? 'IPv6' : 'IPv4'
  const { ipFamilyPolicy } = { ...spec } as { readonly ipFamilyPolicy?: unknown }
  const isDual = given.length > 1 || ipFamilyPolicy === 'PreferDualStack' || ipFamilyPolicy === 'RequireDualStack'
  return isDual ? [first, ...IP_FAMILIES.filter((family) => family !== first)] : [first]
}

/** Number of usable addresses per network: all of 198.18.0.0/15 except the first and the last. */
const SIZE = 2 ** 17 - 2

function freeAddress(family: IpFamily, key: string, taken: Set<string>): string {
  const start = new DataView(sha256(utf8ToBytes(key)).buffer).getUint32(0)
  for (let step = 0; step < SIZE; step++) {
    const address = addressAt(family, 1 + ((start + step) % SIZE))
    if (taken.has(address)) continue
    taken.add(address)
    return address
  }
  throw new InputError(`--assign-cluster-ips has ${SIZE} ${family} addresses, too few for these Services`)
}

function addressAt(family: IpFamily, host: number): string {
  const groups = [host >>> 16, host & 0xffff].map((group) => group.toString(16))
  if (family === 'IPv6') return parseIp(`2001:2::${groups.join(':')}`)?.text ?? ''
  return `198.${18 + (host >>> 16)}.${(host >>> 8) & 255}.${host & 255}`
}

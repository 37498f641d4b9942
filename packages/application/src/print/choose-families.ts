import { IP_FAMILIES, type IpFamily, type Service } from '@kube-rules/types'
import { parseIp } from '@kube-rules/types/internal/ip'
import { formatCount } from '../messages/lines.js'

export type FamilyChoice = '4' | '6' | 'both' | undefined

/**
 * Returns the families to print. For JSON, the default is both families. For text, the default is one family, so that
 * the output can be piped into iptables-restore. This family is IPv4, or IPv6 if the Services use only IPv6.
 */
export function chooseFamilies(
  choice: FamilyChoice,
  output: 'text' | 'json' | undefined,
  services: readonly Service[],
): readonly IpFamily[] {
  if (choice === '4') return ['IPv4']
  if (choice === '6') return ['IPv6']
  if (choice === 'both' || output === 'json') return IP_FAMILIES
  const isUsed = (family: IpFamily) => services.some((service) => clusterIpFamilies(service).includes(family))
  return !isUsed('IPv4') && isUsed('IPv6') ? ['IPv6'] : ['IPv4']
}

/** Counts the Services with a cluster IP of a family that is not in `families`. */
export function countOmittedServices(families: readonly IpFamily[], services: readonly Service[]): number {
  return services.filter((service) => clusterIpFamilies(service).some((family) => !families.includes(family))).length
}

/** Returns a warning if Services have a cluster IP of an omitted family. */
export function formatOmittedFamilyWarning(
  families: readonly IpFamily[],
  services: readonly Service[],
): readonly string[] {
  const others = countOmittedServices(families, services)
  if (others === 0) return []
  return [`warning: ${families.join()} rules only; --family both adds those of ${formatCount(others, 'Service')}`]
}

/**
 * Returns the families of the cluster IPs of a Service, as kube-proxy determines them. Mirrors `GetClusterIPByFamily`
 * of kube-proxy v1.30.
 */
function clusterIpFamilies({ spec }: Service): readonly IpFamily[] {
  const address = parseIp(spec?.clusterIP ?? '')
  const families = spec?.ipFamilies ?? []
  if (address === undefined || families.length === 0) return address ? [address.family] : []
  const ipCount = spec?.clusterIPs?.length ?? 0
  return IP_FAMILIES.filter((family) => families.slice(0, ipCount).includes(family))
}

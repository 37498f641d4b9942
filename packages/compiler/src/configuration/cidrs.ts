import { type Cidr, type IpFamily, parseCidr } from '@kube-rules/types'

/** The networks of one family among `texts`, in their order. Blanks around a network, and what is none, are ignored. */
export function cidrsOfFamily(texts: readonly string[], family: IpFamily): readonly Cidr[] {
  const cidrs = texts.map((text) => parseCidr(text.trim())).filter((cidr) => cidr !== undefined)
  return cidrs.filter((cidr) => cidr.family === family)
}

/** The parts of a `clusterCIDR`; none where it is empty. */
export function clusterCidrParts(clusterCIDR: string): readonly string[] {
  return clusterCIDR.trim() === '' ? [] : clusterCIDR.split(',')
}

import type { Diagnostic, IpFamily, ObjectReference } from '@kube-rules/types'
import { parseCidr } from '@kube-rules/types/internal/cidr'
import { parseIp } from '@kube-rules/types/internal/ip'
import { splitClusterCidr, splitHostPort } from '../configuration/configured-addresses.js'
import { CONFIGURATION_REFERENCE, type EffectiveConfiguration } from '../configuration/effective-configuration.js'
import type { Features } from '../configuration/features.js'
import { detectNodeIps } from './node-ips.js'
import type { ParsedNode } from './parsed-node.js'

interface FamilyCheck {
  readonly object?: ObjectReference
  readonly path: string
  readonly families: readonly (IpFamily | undefined)[]
}

/**
 * Warns of settings that contain only addresses of the secondary family of the node. If only one family is compiled,
 * `ipvs.excludeCIDRs` and the bind addresses for health checks and metrics are also checked. Mirrors `checkBadIPConfig`
 * of kube-proxy v1.30. Unlike this function, kube-proxy refuses to start if the `clusterCIDR` (single family) or the
 * pod networks of local traffic detection have the wrong family.
 */
export function checkFamilies(
  configuration: EffectiveConfiguration,
  features: Features,
  nodeName: string,
  node: ParsedNode,
  families: readonly IpFamily[],
): readonly Diagnostic[] {
  const primary = detectNodeIps(node.addresses, configuration, features).primaryFamily
  const always: readonly FamilyCheck[] = [
    { path: 'clusterCIDR', families: splitClusterCidr(configuration.clusterCIDR).map(familyOfCidr) },
    { path: 'nodePortAddresses', families: configuration.nodePortAddresses.map(familyOfCidr) },
    {
      object: { kind: 'Node', name: nodeName },
      path: 'spec.podCIDRs',
      families: node.podCidrs.map((cidr) => cidr.family),
    },
  ]
  const alone: readonly FamilyCheck[] = [
    { path: 'ipvs.excludeCIDRs', families: configuration.ipvs.excludeCIDRs.map(familyOfCidr) },
    { path: 'healthzBindAddress', families: [familyOfHost(configuration.healthzBindAddress)] },
    { path: 'metricsBindAddress', families: [familyOfHost(configuration.metricsBindAddress)] },
  ]
  const checks = families.length === 1 ? [...always, ...alone] : always
  return checks.filter((check) => isOtherOnly(check, primary)).map((check) => otherFamily(check, primary))
}

function isOtherOnly({ families }: FamilyCheck, primary: IpFamily): boolean {
  return families.length > 0 && families.every((family) => family !== undefined && family !== primary)
}

function otherFamily({ object = CONFIGURATION_REFERENCE, path }: FamilyCheck, primary: IpFamily): Diagnostic {
  const message = `the node's primary address family is ${primary}, but ${path} has only addresses of the other one`
  return { severity: 'warning', code: 'otherAddressFamily', object, path, message }
}

function familyOfCidr(text: string): IpFamily | undefined {
  return parseCidr(text.trim())?.family
}

function familyOfHost(text: string): IpFamily | undefined {
  return parseIp(splitHostPort(text)?.host ?? '')?.family
}

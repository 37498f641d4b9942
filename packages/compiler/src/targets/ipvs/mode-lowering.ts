import type { KernelSettings } from '../../plan/kernel-settings.js'
import type { HostRequirements, IpvsTimeouts, ModeLowering, Sysctl } from '../mode-lowering.js'
import { assembleIpvsMode } from './assemble.js'
import { countContributions } from './contribution-counts.js'
import { createIpvsContribution, type IpvsContribution } from './ipvs-contribution.js'
import { limitationsOf } from './limitations.js'
import { createLoweringContext, type LoweringContext, portLoweringContextOf } from './lowering-context.js'
import { checkScheduler, schedulerOf } from './scheduler.js'

/** Converts a plan to the node state in `ipvs` mode. */
export const ipvsLowering: ModeLowering<LoweringContext, IpvsContribution> = {
  limitationsOf,
  validate: checkScheduler,
  lowering: createLoweringContext,
  loweringOf: portLoweringContextOf,
  lowerService: createIpvsContribution,
  countParts: countContributions,
  assemble: assembleIpvsMode,
  hostRequirements: hostRequirementsOf,
}

const SYSCTLS: readonly Sysctl[] = [
  { name: 'net.ipv4.vs.conntrack', value: '1' },
  // With the default value, these kernels delay a connection that reuses a client port by one second.
  { name: 'net.ipv4.vs.conn_reuse_mode', value: '0', kernels: { from: '4.1', before: '5.9' } },
  { name: 'net.ipv4.vs.expire_nodest_conn', value: '1' },
  { name: 'net.ipv4.vs.expire_quiescent_template', value: '1' },
  { name: 'net.ipv4.ip_forward', value: '1' },
]

const STRICT_ARP: readonly Sysctl[] = [
  { name: 'net.ipv4.conf.all.arp_ignore', value: '1' },
  { name: 'net.ipv4.conf.all.arp_announce', value: '2' },
]

/**
 * Returns the sysctls and kernel modules that ipvs mode requires. Mirrors `NewProxier` of the ipvs proxier of
 * kube-proxy v1.30.
 */
export function hostRequirementsOf(kernel: KernelSettings): HostRequirements {
  const timeouts = timeoutsOf(kernel)
  return {
    sysctls: kernel.ipvs.strictArp ? [...SYSCTLS, ...STRICT_ARP] : SYSCTLS,
    kernelModules: ['ip_vs', `ip_vs_${schedulerOf(kernel)}`, 'nf_conntrack', 'dummy'],
    ...(timeouts && { timeouts }),
  }
}

function timeoutsOf({ ipvs }: KernelSettings): IpvsTimeouts | undefined {
  const { tcpTimeoutMs, tcpFinTimeoutMs, udpTimeoutMs } = ipvs
  if (tcpTimeoutMs <= 0 && tcpFinTimeoutMs <= 0 && udpTimeoutMs <= 0) return undefined
  return { tcp: seconds(tcpTimeoutMs), tcpFin: seconds(tcpFinTimeoutMs), udp: seconds(udpTimeoutMs) }
}

function seconds(milliseconds: number): number {
  return Math.trunc(milliseconds / 1000)
}

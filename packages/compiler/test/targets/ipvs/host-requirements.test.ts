import { describe, expect, it } from 'vitest'
import { kernelSettingsOf } from '../../../src/plan/kernel-settings.js'
import { hostRequirementsOf } from '../../../src/targets/ipvs/mode-lowering.js'
import { ipvsSettings } from '../../support/ipvs-states.js'
import { settings } from '../../support/model-builder.js'

const hostSettingsOf = (fields: Parameters<typeof ipvsSettings>[0]) =>
  hostRequirementsOf(kernelSettingsOf(settings({ ipvs: ipvsSettings(fields) })))

const sysctls = [
  { name: 'net.ipv4.vs.conntrack', value: '1' },
  { name: 'net.ipv4.vs.conn_reuse_mode', value: '0', kernels: { from: '4.1', before: '5.9' } },
  { name: 'net.ipv4.vs.expire_nodest_conn', value: '1' },
  { name: 'net.ipv4.vs.expire_quiescent_template', value: '1' },
  { name: 'net.ipv4.ip_forward', value: '1' },
]

describe('hostRequirementsOf', () => {
  it('returns the same requirements for every version with the default configuration', () => {
    expect(hostSettingsOf({})).toEqual({ sysctls, kernelModules: ['ip_vs', 'ip_vs_rr', 'nf_conntrack', 'dummy'] })
  })

  it('contains the ARP sysctls only if strictARP is on', () => {
    expect(hostSettingsOf({ strictArp: true }).sysctls).toEqual([
      ...sysctls,
      { name: 'net.ipv4.conf.all.arp_ignore', value: '1' },
      { name: 'net.ipv4.conf.all.arp_announce', value: '2' },
    ])
  })

  it('contains the kernel module of the scheduler', () => {
    expect(hostSettingsOf({ scheduler: 'mh' }).kernelModules).toContain('ip_vs_mh')
  })

  it.each([
    [{ tcpTimeoutMs: 900_500 }, { tcp: 900, tcpFin: 0, udp: 0 }],
    [{ tcpFinTimeoutMs: 120_000 }, { tcp: 0, tcpFin: 120, udp: 0 }],
    [{ udpTimeoutMs: 300_000 }, { tcp: 0, tcpFin: 0, udp: 300 }],
  ])('contains all IPVS timeouts if at least one timeout is configured: %j', (fields, timeouts) => {
    expect(hostSettingsOf(fields).timeouts).toEqual(timeouts)
  })
})

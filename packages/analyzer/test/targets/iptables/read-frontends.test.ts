import { describe, expect, it } from 'vitest'
import { MODE_OWNERSHIPS } from '../../../../compiler/src/reconcile/mode-ownerships.js'
import { readDump } from '../../../../compiler/test/support/read-dump.js'
import { FRONTEND_READERS } from '../../../src/explain/explain.js'
import { readFrontends } from '../../../src/targets/iptables/read-frontends.js'
import { LOCAL_TRAFFIC_DETECTION_READERS } from '../../../src/targets/local-traffic-detection-readers.js'
import { MISSING_CONTENT_ADDERS } from '../../../src/trace/mode-readers.js'
import { annotateOwners } from '../../../src/verify/annotate-owners.js'

function frontendsOf(...rules: readonly string[]) {
  const chains = new Set(rules.map((rule) => rule.split(' ')[1]))
  const heads = Array.from(chains, (chain) => `:${chain} - [0:0]`)
  const { iptables } = readDump(['*nat', ...heads, ...rules, 'COMMIT', ''].join('\n')).IPv4
  if (iptables === undefined) throw new Error('there are no rules')
  return readFrontends(iptables).map(({ owner, protocol, address, port }) => `${owner}${protocol} ${address} ${port}`)
}

describe('frontends in iptables rules', () => {
  it.each([
    ['-A KUBE-SERVICES -d 10.0.0.1/32 -p tcp -m tcp --dport 80 -j KUBE-SVC-A', ['TCP 10.0.0.1 80']],
    ['-A KUBE-EXTERNAL-SERVICES -d 10.0.0.1/32 -p udp -m udp --dport 80 -j REJECT', ['UDP 10.0.0.1 80']],
    ['-A KUBE-NODEPORTS -p sctp -m sctp --dport 80 -j KUBE-EXT-A', ['SCTP undefined 80']],
    ['-A KUBE-NODEPORTS -d 127.0.0.0/8 -p tcp -m tcp --dport 80 -j KUBE-EXT-A', ['TCP undefined 80']],
    ['-A KUBE-SERVICES -d 10.0.0.1/32 -p tcp -m tcp --dport 80:90 -j KUBE-SVC-A', []],
    ['-A KUBE-SERVICES -d 10.0.0.1/32 -p tcp -j KUBE-SVC-A', []],
    ['-A KUBE-SERVICES -d 10.0.0.1/32 -p icmp -j KUBE-SVC-A', []],
    ['-A KUBE-SERVICES -d 10.0.0.1/32 -p tcp -m tcp --dport 80', []],
    ['-A KUBE-SVC-A -d 10.0.0.1/32 -p tcp -m tcp --dport 80 -j KUBE-MARK-MASQ', []],
    ['-A KUBE-SERVICES -m addrtype --dst-type LOCAL -j KUBE-NODEPORTS', []],
  ])('are read from %s: %j', (rule, frontends) => {
    expect(frontendsOf(rule)).toEqual(frontends)
  })

  it('are listed only once, in the order of the rules', () => {
    const rule = (port: number, protocol = 'tcp', address = '10.0.0.1') =>
      `-A KUBE-SERVICES -d ${address}/32 -p ${protocol} -m ${protocol} --dport ${port} -j KUBE-SVC-A`
    expect(frontendsOf(rule(81), rule(80), rule(81), rule(81, 'udp'), rule(81, 'tcp', '10.0.0.2'))).toEqual([
      'TCP 10.0.0.1 81',
      'TCP 10.0.0.1 80',
      'UDP 10.0.0.1 81',
      'TCP 10.0.0.2 81',
    ])
  })

  it('have the same owner as their rule', () => {
    const text = [
      '*nat',
      ':KUBE-SERVICES - [0:0]',
      '-A KUBE-SERVICES -d 10.0.0.1/32 -p tcp -m comment --comment "ns/web cluster IP" -m tcp --dport 80 -j ACCEPT',
      'COMMIT',
      '',
    ].join('\n')
    const live = readDump(text).IPv4
    expect(FRONTEND_READERS.iptables(live).map(({ owner }) => owner)).toEqual([''])
    expect(FRONTEND_READERS.iptables(annotateOwners(live)).map(({ owner }) => owner)).toEqual(['ns/web/TCP'])
  })

  it('are absent if there are no rules', () => {
    const nothing = { family: 'IPv4' } as const
    expect(FRONTEND_READERS.iptables(nothing)).toEqual([])
    expect(annotateOwners(nothing)).toEqual(nothing)
    expect(MISSING_CONTENT_ADDERS.iptables(nothing)).toBe(nothing)
    expect(LOCAL_TRAFFIC_DETECTION_READERS.iptables(nothing)).toBeUndefined()
  })
})

describe('a chain that may be left over from the mode', () => {
  it.each([
    ...['nat/KUBE-SERVICES', 'nat/KUBE-NODEPORTS', 'nat/KUBE-POSTROUTING', 'nat/KUBE-MARK-MASQ'],
    ...['filter/KUBE-FORWARD', 'filter/KUBE-EXTERNAL-SERVICES', 'filter/KUBE-PROXY-FIREWALL'],
    ...['nat/KUBE-SVC-A', 'nat/KUBE-SVL-A', 'nat/KUBE-SEP-A', 'nat/KUBE-EXT-A', 'nat/KUBE-FW-A', 'nat/KUBE-XLB-A'],
  ])('is recognized: %s', (id) => {
    expect(MODE_OWNERSHIPS.iptables.isModeSpecific(id)).toBe(true)
  })

  it.each(['nat/KUBE-SVCA', 'nat/XKUBE-SVC-A', 'nat/KUBE-NODE-PORT', 'nat/KUBE-PORTALS-HOST', 'filter/INPUT'])(
    'is not recognized: %s',
    (id) => {
      expect(MODE_OWNERSHIPS.iptables.isModeSpecific(id)).toBe(false)
    },
  )
})

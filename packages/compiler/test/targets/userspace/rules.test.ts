import { describe, expect, it } from 'vitest'
import { printRestore } from '../../../src/dataplane/iptables/print/print.js'
import { printSave } from '../../../src/dataplane/iptables/print/print-save.js'
import { lowerUserspace } from '../../support/lower.js'
import { features, servicePort } from '../../support/model-builder.js'
import { proxiedPlan } from '../../support/proxied-plan.js'

// The expected lines are recorded: the output of kube-proxy 1.20.2 and 1.25.4, and of iptables-save afterwards.

const WEB = servicePort({
  ...{ namespace: 'default', name: 'web', portName: 'http', clusterIP: '10.96.0.9' },
  ...{ externalIPs: ['198.51.100.1'], nodePort: 30080 },
})
const GIVEN = { proxyPorts: { 'default/web:http': 40001 } }

function rulesOf(text: string): readonly string[] {
  return text.split('\n').filter((line) => line.startsWith('-A'))
}

describe('the rules of a service port in userspace mode', () => {
  it('are written in the order of the kube-proxy process', () => {
    const { iptables } = lowerUserspace(proxiedPlan([WEB], {}, GIVEN))
    const start = '-m comment --comment default/web:http -p tcp -m tcp'
    expect(rulesOf(printRestore(iptables))).toEqual([
      `-A KUBE-NODEPORT-NON-LOCAL ${start} --dport 40001 -m state --state NEW -j ACCEPT`,
      `-A KUBE-PORTALS-CONTAINER ${start} --dport 80 -d 10.96.0.9 -j REDIRECT --to-ports 40001`,
      `-A KUBE-PORTALS-HOST ${start} --dport 80 -d 10.96.0.9 -j DNAT --to-destination 192.168.0.2:40001`,
      `-A KUBE-PORTALS-CONTAINER ${start} --dport 80 -d 198.51.100.1 -m physdev ! --physdev-is-in -j REDIRECT --to-ports 40001`,
      `-A KUBE-PORTALS-CONTAINER ${start} --dport 80 -d 198.51.100.1 -m addrtype --dst-type LOCAL -j REDIRECT --to-ports 40001`,
      `-A KUBE-PORTALS-HOST ${start} --dport 80 -d 198.51.100.1 -m addrtype --dst-type LOCAL -j DNAT --to-destination 192.168.0.2:40001`,
      `-A KUBE-NODEPORT-CONTAINER ${start} --dport 30080 -j REDIRECT --to-ports 40001`,
      `-A KUBE-NODEPORT-HOST ${start} --dport 30080 -j DNAT --to-destination 192.168.0.2:40001`,
    ])
  })

  it('are printed by iptables-save in kernel order, with the jumps', () => {
    const { iptables } = lowerUserspace(proxiedPlan([WEB], {}, GIVEN))
    const comment = '-m comment --comment "default/web:http" -m tcp'
    expect(rulesOf(printSave(iptables, { backend: 'nft' }))).toEqual([
      '-A INPUT -m comment --comment "Ensure that non-local NodePort traffic can flow" -j KUBE-NODEPORT-NON-LOCAL',
      `-A KUBE-NODEPORT-NON-LOCAL -p tcp ${comment} --dport 40001 -m state --state NEW -j ACCEPT`,
      '-A PREROUTING -m comment --comment "handle ClusterIPs; NOTE: this must be before the NodePort rules" -j KUBE-PORTALS-CONTAINER',
      '-A PREROUTING -m addrtype --dst-type LOCAL -m comment --comment "handle service NodePorts; NOTE: this must be the last rule in the chain" -j KUBE-NODEPORT-CONTAINER',
      '-A OUTPUT -m comment --comment "handle ClusterIPs; NOTE: this must be before the NodePort rules" -j KUBE-PORTALS-HOST',
      '-A OUTPUT -m addrtype --dst-type LOCAL -m comment --comment "handle service NodePorts; NOTE: this must be the last rule in the chain" -j KUBE-NODEPORT-HOST',
      `-A KUBE-NODEPORT-CONTAINER -p tcp ${comment} --dport 30080 -j REDIRECT --to-ports 40001`,
      `-A KUBE-NODEPORT-HOST -p tcp ${comment} --dport 30080 -j DNAT --to-destination 192.168.0.2:40001`,
      `-A KUBE-PORTALS-CONTAINER -d 10.96.0.9/32 -p tcp ${comment} --dport 80 -j REDIRECT --to-ports 40001`,
      `-A KUBE-PORTALS-CONTAINER -d 198.51.100.1/32 -p tcp ${comment} --dport 80 -m physdev ! --physdev-is-in -j REDIRECT --to-ports 40001`,
      `-A KUBE-PORTALS-CONTAINER -d 198.51.100.1/32 -p tcp ${comment} --dport 80 -m addrtype --dst-type LOCAL -j REDIRECT --to-ports 40001`,
      `-A KUBE-PORTALS-HOST -d 10.96.0.9/32 -p tcp ${comment} --dport 80 -j DNAT --to-destination 192.168.0.2:40001`,
      `-A KUBE-PORTALS-HOST -d 198.51.100.1/32 -p tcp ${comment} --dport 80 -m addrtype --dst-type LOCAL -j DNAT --to-destination 192.168.0.2:40001`,
    ])
  })

  it('up to version 1.22 contain addresses with a prefix length', () => {
    const { iptables } = lowerUserspace(
      proxiedPlan([WEB], { settings: { features: features({ destinationsWithLength: true }, 'userspace') } }, GIVEN),
    )
    const destinations = rulesOf(printRestore(iptables)).flatMap((line) => / -d (\S+)/.exec(line)?.[1] ?? [])
    expect([...new Set(destinations)]).toEqual(['10.96.0.9/32', '198.51.100.1/32'])
  })

  it('translate to the listen address of the process, unless it listens on all addresses', () => {
    const node = { hostAddress: '192.168.0.2' }
    const { iptables } = lowerUserspace(proxiedPlan([WEB], { node }, { ...GIVEN, listenAddress: '192.168.0.2' }))
    const targets = rulesOf(printRestore(iptables)).flatMap((line) => / -j (.*)/.exec(line)?.[1] ?? [])
    expect([...new Set(targets)]).toEqual(['ACCEPT', 'DNAT --to-destination 192.168.0.2:40001'])
  })

  it('are the same for load-balancer IPs and cluster IPs', () => {
    const port = servicePort({ name: 'lb', portName: '', protocol: 'UDP', loadBalancerIPs: ['203.0.113.7'] })
    const { iptables } = lowerUserspace(proxiedPlan([port], {}, { proxyPorts: { 'ns1/lb': 40009 } }))
    const start = '-m comment --comment ns1/lb -p udp -m udp --dport 80 -d 203.0.113.7'
    expect(rulesOf(printRestore(iptables)).slice(2)).toEqual([
      `-A KUBE-PORTALS-CONTAINER ${start} -j REDIRECT --to-ports 40009`,
      `-A KUBE-PORTALS-HOST ${start} -j DNAT --to-destination 192.168.0.2:40009`,
    ])
  })

  it('do not exist for SCTP', () => {
    const plan = proxiedPlan([servicePort({ protocol: 'SCTP', nodePort: 30080 })])
    expect(rulesOf(printRestore(lowerUserspace(plan).iptables))).toEqual([])
  })
})

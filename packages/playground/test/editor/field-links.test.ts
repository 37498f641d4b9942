import { describe, expect, it } from 'vitest'
import { isFieldOfRule } from '../../src/editor/field-links.js'

describe('a line of objects', () => {
  it.each([
    ['    nodePort: 30080', '-A KUBE-NODEPORTS -p tcp -m tcp --dport 30080 -j KUBE-EXT-CDGGSHYLG3RE2FKL'],
    ['"nodePort": 30080,', 'elements = { tcp . 30080 : goto external-SUSTUHLJ-default/web/tcp/http }'],
    ['ports: [{ port: 80, nodePort: 30080 }]', '-A -t 192.168.0.2:30080 -s rr'],
    ['  - 10.244.0.1', '-A KUBE-SEP-JRCXE4FRFHPHGFSU -s 10.244.0.1/32 -j KUBE-MARK-MASQ'],
    ['- addresses: [10.244.0.1]', 'chain endpoint-MGRTRXD7-default/web/tcp/http__10.244.0.1/8080 {'],
    ['- addresses: ["fd00::1"]', '-A KUBE-SEP-X -p tcp -m tcp -j DNAT --to-destination [fd00::1]:8080'],
    ['  sessionAffinity: ClientIP', '-A KUBE-SVC-X -m recent --rcheck --seconds 10800 --reap -j KUBE-SEP-X'],
    ['  sessionAffinity: ClientIP', 'update @affinity-MGRTRXD7-default/web/tcp/http__10.244.0.1/8080 { ip saddr }'],
    ['      timeoutSeconds: 600', '-A -t 10.96.0.1:80 -s rr -p 600'],
    ['  healthCheckNodePort: 32000', '-A KUBE-NODEPORTS -p tcp -m tcp --dport 32000 -j ACCEPT'],
    ['  loadBalancerSourceRanges: [198.51.100.0/24]', '-A KUBE-FW-X -s 198.51.100.0/24 -j KUBE-EXT-X'],
    ['  externalIPs: [203.0.113.9]', '-A KUBE-SERVICES -d 203.0.113.9/32 -p tcp -m tcp --dport 80 -j KUBE-EXT-X'],
    ['  clusterIP: 10.96.0.1', '-A KUBE-SERVICES -d 10.96.0.1/32 -p tcp -m tcp --dport 80 -j KUBE-SVC-X'],
    ['    - ip: 203.0.113.5', '203.0.113.5 . tcp . 80 : goto external-SUSTUHLJ-default/web/tcp/http,'],
    ['  - port: 80', '-A KUBE-SERVICES -d 10.96.0.1/32 -p tcp -m tcp --dport 80 -j KUBE-SVC-X'],
    ['"port": 80,', '10.96.0.1 . tcp . 80 : goto service-SUSTUHLJ-default/web/tcp/http,'],
    ['ports: [{ port: 80 }]', '-A -t 10.96.0.1:80 -s rr'],
    ['ports: [{ port: 80 }]', 'add KUBE-CLUSTER-IP 10.96.0.1,tcp:80'],
    ['  externalTrafficPolicy: Local', '-A KUBE-EXT-X -j KUBE-SVL-X'],
    ['  externalTrafficPolicy: Cluster', 'chain external-SUSTUHLJ-default/web/tcp/http {'],
    ['  externalTrafficPolicy: Local', 'add KUBE-NODE-PORT-LOCAL-TCP 30080'],
    [
      '  internalTrafficPolicy: Local',
      '-A KUBE-SERVICES -m comment --comment "default/web:http cluster IP" -j KUBE-SVL-X',
    ],
    ['  internalTrafficPolicy: Local', 'elements = { 10.96.0.1 . tcp . 80 : goto local-SUSTUHLJ-default/web/tcp/http,'],
  ])('%s is linked to %s', (field, rule) => {
    expect(isFieldOfRule(field, rule)).toBe(true)
  })

  it.each([
    ['    nodePort: 30080', '-A KUBE-NODEPORTS -p tcp -m tcp --dport 30081 -j KUBE-EXT-X'],
    ['    nodePort: 3008', '-A KUBE-NODEPORTS -p tcp -m tcp --dport 30080 -j KUBE-EXT-X'],
    ['  port: 30080', '-A KUBE-NODEPORTS -p tcp -m tcp --dport 30080 -j KUBE-EXT-X'],
    ['  - 10.244.0.1', '-A KUBE-SEP-X -s 10.244.0.12/32 -j KUBE-MARK-MASQ'],
    ['  - fd00::1', '-A KUBE-SEP-X -s fd00::1:5/128 -j KUBE-MARK-MASQ'],
    ['  sessionAffinity: None', '-A KUBE-SVC-X -m recent --rcheck --seconds 10800 --reap -j KUBE-SEP-X'],
    ['  sessionAffinity: ClientIP', '-A KUBE-SVC-X -p tcp -j KUBE-SEP-X'],
    ['  sessionAffinity: ClientIP', 'goto service-SUSTUHLJ-default/affinity-web/tcp/http'],
    ['  externalTrafficPolicy: Local', '-A KUBE-SVL-X -j KUBE-SEP-X'],
    ['  internalTrafficPolicy: Local', '-A KUBE-EXT-X -j KUBE-SVL-X'],
    ['  healthCheckNodePort: 0', '-A KUBE-SVC-X -j KUBE-SEP-X'],
    ['', '-A KUBE-SVC-X -j KUBE-SEP-X'],
  ])('%s is not linked to %s', (field, rule) => {
    expect(isFieldOfRule(field, rule)).toBe(false)
  })
})

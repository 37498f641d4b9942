import { describe, expect, it } from 'vitest'
import { compile } from '../../../compiler/src/compilation/compile.js'
import { print } from '../../../compiler/src/print/print.js'
import { type DumpQuestion, diagnoseDump } from './diagnosed-packet.js'

// A step that changes rules of a dump is applied to the dump, and the packet is traced again.

const JUMPS = `-A PREROUTING -m comment --comment "kubernetes service portals" -j KUBE-SERVICES
-A OUTPUT -m comment --comment "kubernetes service portals" -j KUBE-SERVICES
`

/** The rules of one Service with one endpoint, without jumps from built-in chains to KUBE-SERVICES. */
const NAT = `*nat
:PREROUTING ACCEPT [0:0]
:INPUT ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
:POSTROUTING ACCEPT [0:0]
:KUBE-MARK-MASQ - [0:0]
:KUBE-POSTROUTING - [0:0]
:KUBE-SEP-AAAABBBBCCCCDDDD - [0:0]
:KUBE-SERVICES - [0:0]
:KUBE-SVC-AAAABBBBCCCCDDDD - [0:0]
JUMPS-A POSTROUTING -m comment --comment "kubernetes postrouting rules" -j KUBE-POSTROUTING
-A KUBE-MARK-MASQ -j MARK --set-xmark 0x4000/0x4000
-A KUBE-POSTROUTING -m mark ! --mark 0x4000/0x4000 -j RETURN
-A KUBE-POSTROUTING -j MARK --set-xmark 0x4000/0x0
-A KUBE-POSTROUTING -m comment --comment "kubernetes service traffic requiring SNAT" -j MASQUERADE --random-fully
-A KUBE-SEP-AAAABBBBCCCCDDDD -s 10.244.7.7/32 -m comment --comment "shop/cart:http" -j KUBE-MARK-MASQ
-A KUBE-SEP-AAAABBBBCCCCDDDD -p tcp -m comment --comment "shop/cart:http" -m tcp -j DNAT --to-destination 10.244.7.7:8080
-A KUBE-SERVICES -d 10.96.3.4/32 -p tcp -m comment --comment "shop/cart:http cluster IP" -m tcp --dport 80 -j KUBE-SVC-AAAABBBBCCCCDDDD
-A KUBE-SVC-AAAABBBBCCCCDDDD -m comment --comment "shop/cart:http -> 10.244.7.7:8080" -j KUBE-SEP-AAAABBBBCCCCDDDD
COMMIT
`

const filterOf = (policy: string, rules = '') => `*filter
:INPUT ACCEPT [0:0]
:FORWARD ${policy} [0:0]
:OUTPUT ACCEPT [0:0]
${rules}COMMIT
`

const SAVED = (filter: string, jumps = JUMPS) => `${NAT.replace('JUMPS', jumps)}${filter}`

const stepsFor = (question: Omit<DumpQuestion, 'to'>) => {
  const [diagnosis, ...others] = diagnoseDump({ to: '10.96.3.4:80', addresses: ['192.0.2.11'], ...question })
  if (diagnosis === undefined || others.length > 0) throw new Error('expected one diagnosis')
  return diagnosis.steps
}

describe('a rule that accepts packets', () => {
  it('is inserted before the rule that drops them', () => {
    const rules = '-A FORWARD -p udp -j ACCEPT\n-A FORWARD -p tcp -m tcp --dport 8080 -j DROP\n'
    const [accept, permanent, ...others] = stepsFor({ dump: SAVED(filterOf('ACCEPT', rules)) })
    expect(accept).toEqual({
      text: 'Accept the packets before that rule, as root on the node',
      command: 'iptables -t filter -I FORWARD 2 -d 10.244.7.7 -p tcp --dport 8080 -j ACCEPT',
      change: {
        kind: 'insertRule',
        table: 'filter',
        chain: 'FORWARD',
        position: 2,
        rule: '-A FORWARD -d 10.244.7.7 -p tcp --dport 8080 -j ACCEPT',
      },
      outcome: 'the packets reach 10.244.7.7:8080',
      impact:
        'effective at once, until the program that owns the rule reloads its rules; also accepts packets from a pod to 10.244.7.7:8080/TCP and packets from external clients to 10.244.7.7:8080/TCP without the Service',
    })
    expect(permanent?.text).toBe(
      'For a permanent fix, find out which program owns the rule, and configure it to accept TCP to 10.244.7.7:8080 (shop/cart:http) on every node',
    )
    expect(others).toEqual([])
  })

  it('is appended if the policy drops them', () => {
    const [accept] = stepsFor({ dump: SAVED(filterOf('DROP')) })
    expect(accept).toMatchObject({
      text: 'Accept the packets in that chain, as root on the node',
      command: 'iptables -t filter -A FORWARD -d 10.244.7.7 -p tcp --dport 8080 -j ACCEPT',
      outcome: 'the packets reach 10.244.7.7:8080',
    })
  })

  it('is left out if another table drops them as well', () => {
    const dump = `*mangle\n:FORWARD DROP [0:0]\nCOMMIT\n${SAVED(filterOf('DROP'))}`
    expect(stepsFor({ dump })).toEqual([
      {
        text: 'Find out which program owns the rule, and configure it to accept TCP to 10.244.7.7:8080 (shop/cart:http) on every node',
      },
    ])
  })

  it('is inserted at the start if the dump has only a part of the chain', () => {
    const dump = `${NAT.replace('JUMPS', JUMPS)}-A FORWARD -p udp -j ACCEPT\n-A FORWARD -p tcp -m tcp --dport 8080 -j DROP\n`
    const [accept] = stepsFor({ dump, lenient: true })
    expect(accept).toMatchObject({
      command: 'iptables -t filter -I FORWARD 1 -d 10.244.7.7 -p tcp --dport 8080 -j ACCEPT',
      outcome: 'the packets reach 10.244.7.7:8080, unless a rule that is not in the dump changes this',
    })
  })
})

describe('a jump to KUBE-SERVICES', () => {
  it('is the first step if packets do not reach the rules of their Service', () => {
    const [output = ''] = JUMPS.split('\n').slice(1)
    const [diagnosis] = diagnoseDump({
      dump: SAVED(filterOf('ACCEPT'), `${output}\n`),
      to: '10.96.3.4:80',
      addresses: ['192.0.2.11'],
    })
    expect(diagnosis).toMatchObject({
      code: 'missingRule',
      summary:
        'Packets from a pod to 10.96.3.4:80/TCP do not reach the rules of shop/cart:http: no rule of PREROUTING in table nat jumps to KUBE-SERVICES',
      object: 'Service shop/cart',
      rule: 'nat/KUBE-SERVICES',
      ruleStatus: 'exists, but without a jump from PREROUTING',
    })
    expect(diagnosis?.steps).toEqual([
      {
        text: 'Add the jump, as root on the node',
        command: 'iptables -t nat -I PREROUTING 1 -m comment --comment "kubernetes service portals" -j KUBE-SERVICES',
        change: {
          kind: 'insertRule',
          table: 'nat',
          chain: 'PREROUTING',
          position: 1,
          rule: '-A PREROUTING -m comment --comment "kubernetes service portals" -j KUBE-SERVICES',
        },
        outcome: 'the packets reach 10.244.7.7:8080',
        impact: 'for all Services; kube-proxy adds this jump itself when it writes its rules again',
      },
      {
        text: 'For a permanent fix, find the firewall that removes the jump, and restart kube-proxy on this node, and check the rules again',
      },
    ])
  })

  it('is left out if the packets are dropped after it', () => {
    const dump = SAVED(filterOf('DROP'), '')
    expect(stepsFor({ dump }).map(({ change }) => change)).toEqual([undefined])
  })

  it('is not missing for packets of the node that OUTPUT sends there', () => {
    const [output = ''] = JUMPS.split('\n').slice(1)
    const dump = SAVED(filterOf('ACCEPT'), `${output}\n`)
    expect(diagnoseDump({ dump, to: '10.96.3.4:80', from: 'node', addresses: ['192.0.2.11'] })).toEqual([])
  })
})

describe('an entry of a set', () => {
  it('masquerades packets that return to the pod that sent them', () => {
    const { families } = compile(
      {
        services: [
          {
            metadata: { namespace: 'shop', name: 'cart' },
            spec: { clusterIP: '10.96.3.4', ports: [{ name: 'http', port: 80 }] },
          },
        ],
        endpointSlices: [
          {
            metadata: { namespace: 'shop', name: 'cart-1', labels: { 'kubernetes.io/service-name': 'cart' } },
            addressType: 'IPv4',
            ports: [{ name: 'http', port: 8080 }],
            endpoints: [{ addresses: ['10.244.7.7'], nodeName: 'node-1' }],
          },
        ],
        nodes: [
          { metadata: { name: 'node-1' }, status: { addresses: [{ type: 'InternalIP', address: '192.0.2.11' }] } },
        ],
        configuration: { clusterCIDR: '10.244.0.0/16' },
      },
      { mode: 'ipvs', families: ['IPv4'], nodeName: 'node-1' },
    )
    const printed = families.map(({ state }) => print(state, { format: 'save' })).join('')
    const dump = printed.replace('add KUBE-LOOP-BACK 10.244.7.7,tcp:8080,10.244.7.7\n', '')
    expect(dump).not.toBe(printed)
    const [add] = stepsFor({ dump, source: '10.244.7.7' })
    expect(add).toEqual({
      text: 'Add the entry to the set of such packets, as root on the node',
      command: 'ipset add KUBE-LOOP-BACK 10.244.7.7,tcp:8080,10.244.7.7',
      change: { kind: 'addSetEntry', set: 'KUBE-LOOP-BACK', entry: '10.244.7.7,tcp:8080,10.244.7.7' },
      outcome: 'the packets reach 10.244.7.7:8080, masqueraded',
    })
  })
})

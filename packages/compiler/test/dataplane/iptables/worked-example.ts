import type { IptablesState, Match, Rule } from '../../../src/dataplane/iptables/ast.js'

const COMMENT = 'ns1/svc1:p80'
const SVC = 'KUBE-SVC-XPGD46QRK7WJZT7O'
const SEP = 'KUBE-SEP-SXIVWICOYRO3J4NJ'

function comment(text: string): Match {
  return { kind: 'comment', text }
}

const TCP: readonly Match[] = [
  { kind: 'transport', protocol: 'tcp' },
  { kind: 'protocol', protocol: 'tcp', negated: false },
]

const TO_CLUSTER_IP: readonly Match[] = [
  comment(`${COMMENT} cluster IP`),
  ...TCP,
  { kind: 'destination', address: '172.30.0.41', negated: false },
  { kind: 'destinationPort', first: 80, last: 80, negated: false },
]

function jump(chain: string, matches: readonly Match[], to: string): Rule {
  return { chain, matches, target: { kind: 'jump', chain: to } }
}

/** One service with one endpoint, as kube-proxy v1.30 writes it, and some of its jumps. */
export const WORKED_EXAMPLE: IptablesState = {
  family: 'IPv4',
  tables: [
    {
      name: 'filter',
      jumps: [
        jump('INPUT', [], 'KUBE-FIREWALL'),
        jump(
          'FORWARD',
          [{ kind: 'conntrack', states: ['NEW'], negated: false }, comment('kubernetes service portals')],
          'KUBE-SERVICES',
        ),
      ],
      blocks: [
        {
          owner: '',
          chains: [
            'KUBE-SERVICES',
            'KUBE-EXTERNAL-SERVICES',
            'KUBE-FORWARD',
            'KUBE-NODEPORTS',
            'KUBE-PROXY-FIREWALL',
            'KUBE-FIREWALL',
          ],
          rules: [
            {
              chain: 'KUBE-FIREWALL',
              matches: [
                comment('block incoming localnet connections'),
                { kind: 'destination', address: '127.0.0.0/8', negated: false },
                { kind: 'source', address: '127.0.0.0/8', negated: true },
                { kind: 'conntrack', states: ['RELATED', 'ESTABLISHED', 'DNAT'], negated: true },
              ],
              target: { kind: 'drop' },
            },
            {
              chain: 'KUBE-FORWARD',
              matches: [{ kind: 'conntrack', states: ['INVALID'], negated: false }],
              target: { kind: 'drop' },
            },
            {
              chain: 'KUBE-FORWARD',
              matches: [
                comment('kubernetes forwarding rules'),
                { kind: 'mark', value: 0x4000, mask: 0x4000, negated: false },
              ],
              target: { kind: 'accept' },
            },
            {
              chain: 'KUBE-FORWARD',
              matches: [
                comment('kubernetes forwarding conntrack rule'),
                { kind: 'conntrack', states: ['RELATED', 'ESTABLISHED'], negated: false },
              ],
              target: { kind: 'accept' },
            },
          ],
        },
      ],
    },
    {
      name: 'nat',
      jumps: [jump('PREROUTING', [comment('kubernetes service portals')], 'KUBE-SERVICES')],
      blocks: [
        {
          owner: '',
          chains: ['KUBE-SERVICES', 'KUBE-NODEPORTS', 'KUBE-POSTROUTING', 'KUBE-MARK-MASQ'],
          rules: [
            {
              chain: 'KUBE-POSTROUTING',
              matches: [{ kind: 'mark', value: 0x4000, mask: 0x4000, negated: true }],
              target: { kind: 'return' },
            },
            { chain: 'KUBE-POSTROUTING', matches: [], target: { kind: 'mark', operation: 'xor', value: 0x4000 } },
            {
              chain: 'KUBE-POSTROUTING',
              matches: [comment('kubernetes service traffic requiring SNAT')],
              target: { kind: 'masquerade', randomFully: true },
            },
            { chain: 'KUBE-MARK-MASQ', matches: [], target: { kind: 'mark', operation: 'or', value: 0x4000 } },
          ],
        },
        {
          owner: 'ns1/svc1:p80/TCP',
          chains: [SVC, SEP],
          rules: [
            jump('KUBE-SERVICES', TO_CLUSTER_IP, SVC),
            jump(SVC, [...TO_CLUSTER_IP, { kind: 'source', address: '10.0.0.0/8', negated: true }], 'KUBE-MARK-MASQ'),
            jump(SVC, [comment(`${COMMENT} -> 10.180.0.1:80`)], SEP),
            jump(SEP, [comment(COMMENT), { kind: 'source', address: '10.180.0.1', negated: false }], 'KUBE-MARK-MASQ'),
            {
              chain: SEP,
              matches: [comment(COMMENT), ...TCP],
              target: { kind: 'dnat', destination: '10.180.0.1:80' },
            },
          ],
        },
        {
          owner: '',
          chains: [],
          rules: [
            jump(
              'KUBE-SERVICES',
              [
                comment('kubernetes service nodeports; NOTE: this must be the last rule in this chain'),
                { kind: 'addrtype', side: 'destination', type: 'LOCAL', negated: false },
              ],
              'KUBE-NODEPORTS',
            ),
          ],
        },
      ],
    },
  ],
}

export const RESTORE_TEXT = `*filter
:KUBE-SERVICES - [0:0]
:KUBE-EXTERNAL-SERVICES - [0:0]
:KUBE-FORWARD - [0:0]
:KUBE-NODEPORTS - [0:0]
:KUBE-PROXY-FIREWALL - [0:0]
:KUBE-FIREWALL - [0:0]
-A KUBE-FIREWALL -m comment --comment "block incoming localnet connections" -d 127.0.0.0/8 ! -s 127.0.0.0/8 -m conntrack ! --ctstate RELATED,ESTABLISHED,DNAT -j DROP
-A KUBE-FORWARD -m conntrack --ctstate INVALID -j DROP
-A KUBE-FORWARD -m comment --comment "kubernetes forwarding rules" -m mark --mark 0x00004000/0x00004000 -j ACCEPT
-A KUBE-FORWARD -m comment --comment "kubernetes forwarding conntrack rule" -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT
COMMIT
*nat
:KUBE-SERVICES - [0:0]
:KUBE-NODEPORTS - [0:0]
:KUBE-POSTROUTING - [0:0]
:KUBE-MARK-MASQ - [0:0]
:KUBE-SVC-XPGD46QRK7WJZT7O - [0:0]
:KUBE-SEP-SXIVWICOYRO3J4NJ - [0:0]
-A KUBE-POSTROUTING -m mark ! --mark 0x00004000/0x00004000 -j RETURN
-A KUBE-POSTROUTING -j MARK --xor-mark 0x00004000
-A KUBE-POSTROUTING -m comment --comment "kubernetes service traffic requiring SNAT" -j MASQUERADE --random-fully
-A KUBE-MARK-MASQ -j MARK --or-mark 0x00004000
-A KUBE-SERVICES -m comment --comment "ns1/svc1:p80 cluster IP" -m tcp -p tcp -d 172.30.0.41 --dport 80 -j KUBE-SVC-XPGD46QRK7WJZT7O
-A KUBE-SVC-XPGD46QRK7WJZT7O -m comment --comment "ns1/svc1:p80 cluster IP" -m tcp -p tcp -d 172.30.0.41 --dport 80 ! -s 10.0.0.0/8 -j KUBE-MARK-MASQ
-A KUBE-SVC-XPGD46QRK7WJZT7O -m comment --comment "ns1/svc1:p80 -> 10.180.0.1:80" -j KUBE-SEP-SXIVWICOYRO3J4NJ
-A KUBE-SEP-SXIVWICOYRO3J4NJ -m comment --comment ns1/svc1:p80 -s 10.180.0.1 -j KUBE-MARK-MASQ
-A KUBE-SEP-SXIVWICOYRO3J4NJ -m comment --comment ns1/svc1:p80 -m tcp -p tcp -j DNAT --to-destination 10.180.0.1:80
-A KUBE-SERVICES -m comment --comment "kubernetes service nodeports; NOTE: this must be the last rule in this chain" -m addrtype --dst-type LOCAL -j KUBE-NODEPORTS
COMMIT
`

export const SAVED_FILTER = `*filter
:INPUT ACCEPT [0:0]
:FORWARD ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
:KUBE-EXTERNAL-SERVICES - [0:0]
:KUBE-FIREWALL - [0:0]
:KUBE-FORWARD - [0:0]
:KUBE-NODEPORTS - [0:0]
:KUBE-PROXY-FIREWALL - [0:0]
:KUBE-SERVICES - [0:0]
-A INPUT -j KUBE-FIREWALL
-A FORWARD -m conntrack --ctstate NEW -m comment --comment "kubernetes service portals" -j KUBE-SERVICES
-A KUBE-FIREWALL ! -s 127.0.0.0/8 -d 127.0.0.0/8 -m comment --comment "block incoming localnet connections" -m conntrack ! --ctstate RELATED,ESTABLISHED,DNAT -j DROP
-A KUBE-FORWARD -m conntrack --ctstate INVALID -j DROP
-A KUBE-FORWARD -m comment --comment "kubernetes forwarding rules" -m mark --mark 0x4000/0x4000 -j ACCEPT
-A KUBE-FORWARD -m comment --comment "kubernetes forwarding conntrack rule" -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT
COMMIT
`

export const SAVED_NAT = `*nat
:PREROUTING ACCEPT [0:0]
:INPUT ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
:POSTROUTING ACCEPT [0:0]
:KUBE-MARK-MASQ - [0:0]
:KUBE-NODEPORTS - [0:0]
:KUBE-POSTROUTING - [0:0]
:KUBE-SEP-SXIVWICOYRO3J4NJ - [0:0]
:KUBE-SERVICES - [0:0]
:KUBE-SVC-XPGD46QRK7WJZT7O - [0:0]
-A PREROUTING -m comment --comment "kubernetes service portals" -j KUBE-SERVICES
-A KUBE-MARK-MASQ -j MARK --set-xmark 0x4000/0x4000
-A KUBE-POSTROUTING -m mark ! --mark 0x4000/0x4000 -j RETURN
-A KUBE-POSTROUTING -j MARK --set-xmark 0x4000/0x0
-A KUBE-POSTROUTING -m comment --comment "kubernetes service traffic requiring SNAT" -j MASQUERADE --random-fully
-A KUBE-SEP-SXIVWICOYRO3J4NJ -s 10.180.0.1/32 -m comment --comment "ns1/svc1:p80" -j KUBE-MARK-MASQ
-A KUBE-SEP-SXIVWICOYRO3J4NJ -p tcp -m comment --comment "ns1/svc1:p80" -m tcp -j DNAT --to-destination 10.180.0.1:80
-A KUBE-SERVICES -d 172.30.0.41/32 -p tcp -m comment --comment "ns1/svc1:p80 cluster IP" -m tcp --dport 80 -j KUBE-SVC-XPGD46QRK7WJZT7O
-A KUBE-SERVICES -m comment --comment "kubernetes service nodeports; NOTE: this must be the last rule in this chain" -m addrtype --dst-type LOCAL -j KUBE-NODEPORTS
-A KUBE-SVC-XPGD46QRK7WJZT7O ! -s 10.0.0.0/8 -d 172.30.0.41/32 -p tcp -m comment --comment "ns1/svc1:p80 cluster IP" -m tcp --dport 80 -j KUBE-MARK-MASQ
-A KUBE-SVC-XPGD46QRK7WJZT7O -m comment --comment "ns1/svc1:p80 -> 10.180.0.1:80" -j KUBE-SEP-SXIVWICOYRO3J4NJ
COMMIT
`

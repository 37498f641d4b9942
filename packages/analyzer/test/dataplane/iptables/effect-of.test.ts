import { expect, it } from 'vitest'
import { parseRuleEffect } from '../../../src/dataplane/iptables/rule-lines.js'

it.each([
  ['-A KUBE-SERVICES -d 10.96.0.1/32 -p tcp -m tcp --dport 80 -j REJECT --reject-with icmp-port-unreachable', true, []],
  ['-A KUBE-FIREWALL -m mark --mark 0x8000/0x8000 -j DROP', true, []],
  ['-A KUBE-SEP-A -p tcp -m tcp -j DNAT --to-destination 10.244.1.1:80', false, ['10.244.1.1:80']],
  ['-A KUBE-SEP-A -s fd00::1/128 -p tcp -m tcp -j DNAT --to-destination [fd00::1]:80', false, ['[fd00::1]:80']],
  ['-A FORWARD -m comment --comment "once -j DROP --to-destination 10.0.0.1:80" -j ACCEPT', false, []],
  ['-A FORWARD -j KUBE-SERVICES', false, []],
  ['-A FORWARD', false, []],
  ['-A FORWARD -m comment --comment "open -j DROP', false, []],
  ['-N KUBE-SERVICES -j DROP', false, []],
])(
  'parseRuleEffect returns the target of a rule, and whether the rule refuses packets: %s',
  (rule, refuses, sendsTo) => {
    expect(parseRuleEffect(rule)).toEqual({ refuses, sendsTo, acceptsNoConnections: false, rule })
  },
)

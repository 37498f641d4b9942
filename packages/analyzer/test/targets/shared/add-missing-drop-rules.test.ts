import { describe, expect, it } from 'vitest'
import { print } from '../../../../compiler/src/print/print.js'
import { readDump } from '../../../../compiler/test/support/read-dump.js'
import { addMissingDropRules } from '../../../src/targets/shared/add-missing-drop-rules.js'

const MARKING = '*nat\n:KUBE-XLB-A - [0:0]\n:KUBE-MARK-DROP - [0:0]\n-A KUBE-XLB-A -j KUBE-MARK-DROP\nCOMMIT\n'

/** Returns the added rules of the filter table; `~` replaces their comment. */
function added(dump: string, complete: readonly string[] = []): readonly string[] {
  const { iptables } = readDump(dump).IPv4
  if (iptables === undefined) throw new Error('there are no rules')
  const filled = { family: 'IPv4', iptables: addMissingDropRules(iptables, { complete }) } as const
  return print(filled, { format: 'save' })
    .split('\n')
    .filter((line) => line.includes('missing in the dump'))
    .map((line) => line.replace(/-m comment --comment "[^"]*"/, '~'))
}

describe('addMissingDropRules', () => {
  const RULE = '-A KUBE-FIREWALL ~ -m mark --mark 0x8000/0x8000 -j DROP'
  const JUMPS = ['-A INPUT ~ -j KUBE-FIREWALL', '-A OUTPUT ~ -j KUBE-FIREWALL']
  const FILTER = '*filter\n:INPUT ACCEPT [0:0]\n:KUBE-FIREWALL - [0:0]\n'

  it.each([
    ['the rule of the kubelet to a fragment without filter table', MARKING, [...JUMPS, RULE]],
    ['the missing jump and the rule', `${MARKING}${FILTER}-A INPUT -j KUBE-FIREWALL\nCOMMIT\n`, [JUMPS[1], RULE]],
    ['nothing next to rules of KUBE-FIREWALL', `${MARKING}${FILTER}-A KUBE-FIREWALL -j RETURN\nCOMMIT\n`, []],
    ['nothing if no packet is marked', `${FILTER}-A INPUT -j KUBE-FIREWALL\nCOMMIT\n`, []],
  ])('adds %s', (_, dump, expected) => {
    expect(added(dump)).toEqual(expected)
  })

  it('does not change a complete chain', () => {
    expect(added(MARKING, ['filter/KUBE-FIREWALL'])).toEqual([])
  })
})

import { describe, expect, it } from 'vitest'
import { askedTable } from '../../../../src/dataplane/iptables/pasted/asked-table.js'

const asked = (command: string) => {
  const [tool = '', ...args] = command.split(' ')
  return askedTable({ tool, args })
}

describe('what a command of iptables asks for', () => {
  it.each([
    ['iptables-save', { family: 'IPv4', spelling: 'save' }],
    ['ip6tables-save -t nat', { family: 'IPv6', table: 'nat', spelling: 'save' }],
    ['iptables -S', { family: 'IPv4', table: 'filter', spelling: 'rules' }],
    ['iptables -t nat -S KUBE-SVC-L', { family: 'IPv4', table: 'nat', chain: 'KUBE-SVC-L', spelling: 'rules' }],
    ['iptables --table nat --list-rules', { family: 'IPv4', table: 'nat', spelling: 'rules' }],
    [
      'iptables -vnL KUBE-SERVICES -t nat',
      { family: 'IPv4', table: 'nat', chain: 'KUBE-SERVICES', spelling: 'listing' },
    ],
    ['iptables --list -n', { family: 'IPv4', table: 'filter', spelling: 'listing' }],
    ['iptables -E KUBE-L KUBE-M', { family: 'IPv4', table: 'filter', spelling: 'rules' }],
  ])('%s', (command, expected) => {
    expect(asked(command)).toEqual(expected)
  })

  it('is undefined for other tools', () => {
    expect([askedTable(undefined), asked('ipset list'), asked('nft list ruleset')]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })
})

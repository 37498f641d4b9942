import { describe, expect, it } from 'vitest'
import { askedTable } from '../../../../src/dataplane/iptables/pasted/asked-table.js'

const asked = (command: string) => {
  const [tool = '', ...args] = command.split(' ')
  return askedTable({ tool, args })
}

describe('tables requested by an iptables command', () => {
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
    ['iptables-restore', { family: 'IPv4', spelling: 'save' }],
    ['iptables-save -t other', { family: 'IPv4', spelling: 'save' }],
    ['iptables-save --table filter', { family: 'IPv4', table: 'filter', spelling: 'save' }],
    ['iptables -t other -S', { family: 'IPv4', table: 'filter', spelling: 'rules' }],
    ['iptables -tnat -L', { family: 'IPv4', table: 'nat', spelling: 'listing' }],
    ['iptables -ntraw -L', { family: 'IPv4', table: 'raw', spelling: 'listing' }],
    ['iptables --table=mangle -S', { family: 'IPv4', table: 'mangle', spelling: 'rules' }],
    ['iptables -nt raw -L', { family: 'IPv4', table: 'raw', spelling: 'listing' }],
    ['iptables -S -t', { family: 'IPv4', table: 'filter', spelling: 'rules' }],
    ['iptables -nLv --line-numbers', { family: 'IPv4', table: 'filter', spelling: 'listing' }],
    ['iptables -n --list custom', { family: 'IPv4', table: 'filter', chain: 'custom', spelling: 'listing' }],
    ['iptables --list-rules KUBE-A', { family: 'IPv4', table: 'filter', chain: 'KUBE-A', spelling: 'rules' }],
    ['iptables -S 1', { family: 'IPv4', table: 'filter', spelling: 'rules' }],
    ['iptables -L "X', { family: 'IPv4', table: 'filter', spelling: 'listing' }],
    ['iptables KUBE-A', { family: 'IPv4', table: 'filter', spelling: 'rules' }],
    ['iptables', { family: 'IPv4', table: 'filter', spelling: 'rules' }],
  ])('%s', (command, expected) => {
    expect(asked(command)).toEqual(expected)
  })

  it('are undefined for other tools', () => {
    const others = ['ipset list', 'nft list ruleset', 'iptables-apply', 'xiptables -S', 'ip7tables -S'].map(asked)
    expect([askedTable(undefined), ...others].every((each) => each === undefined)).toBe(true)
  })

  it.each(['search', 'cut'] as const)('include a filter on the output: %s', (filter) => {
    expect(askedTable({ tool: 'iptables-save', args: [], filter })?.filter).toBe(filter)
    expect(askedTable({ tool: 'iptables', args: ['-S'], filter })?.filter).toBe(filter)
  })
})

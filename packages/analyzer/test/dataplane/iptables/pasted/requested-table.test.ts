import { describe, expect, it } from 'vitest'
import { parseRequestedTable } from '../../../../src/dataplane/iptables/pasted/requested-table.js'

const asked = (command: string) => {
  const [tool = '', ...args] = command.split(' ')
  return parseRequestedTable({ tool, args })
}

describe('tables requested by an iptables command', () => {
  it.each([
    ['iptables-save', { family: 'IPv4', format: 'save' }],
    ['ip6tables-save -t nat', { family: 'IPv6', table: 'nat', format: 'save' }],
    ['iptables -S', { family: 'IPv4', table: 'filter', format: 'rules' }],
    ['iptables -t nat -S KUBE-SVC-L', { family: 'IPv4', table: 'nat', chain: 'KUBE-SVC-L', format: 'rules' }],
    ['iptables --table nat --list-rules', { family: 'IPv4', table: 'nat', format: 'rules' }],
    ['iptables -vnL KUBE-SERVICES -t nat', { family: 'IPv4', table: 'nat', chain: 'KUBE-SERVICES', format: 'listing' }],
    ['iptables --list -n', { family: 'IPv4', table: 'filter', format: 'listing' }],
    ['iptables -E KUBE-L KUBE-M', { family: 'IPv4', table: 'filter', format: 'rules' }],
    ['iptables-restore', { family: 'IPv4', format: 'save' }],
    ['iptables-save -t other', { family: 'IPv4', format: 'save' }],
    ['iptables-save --table filter', { family: 'IPv4', table: 'filter', format: 'save' }],
    ['iptables -t other -S', { family: 'IPv4', table: 'filter', format: 'rules' }],
    ['iptables -tnat -L', { family: 'IPv4', table: 'nat', format: 'listing' }],
    ['iptables -ntraw -L', { family: 'IPv4', table: 'raw', format: 'listing' }],
    ['iptables --table=mangle -S', { family: 'IPv4', table: 'mangle', format: 'rules' }],
    ['iptables -nt raw -L', { family: 'IPv4', table: 'raw', format: 'listing' }],
    ['iptables -S -t', { family: 'IPv4', table: 'filter', format: 'rules' }],
    ['iptables -nLv --line-numbers', { family: 'IPv4', table: 'filter', format: 'listing' }],
    ['iptables -n --list custom', { family: 'IPv4', table: 'filter', chain: 'custom', format: 'listing' }],
    ['iptables --list-rules KUBE-A', { family: 'IPv4', table: 'filter', chain: 'KUBE-A', format: 'rules' }],
    ['iptables -S 1', { family: 'IPv4', table: 'filter', format: 'rules' }],
    ['iptables -L "X', { family: 'IPv4', table: 'filter', format: 'listing' }],
    ['iptables KUBE-A', { family: 'IPv4', table: 'filter', format: 'rules' }],
    ['iptables', { family: 'IPv4', table: 'filter', format: 'rules' }],
  ])('are found in %s', (command, expected) => {
    expect(asked(command)).toEqual(expected)
  })

  it('are undefined for other tools', () => {
    const others = ['ipset list', 'nft list ruleset', 'iptables-apply', 'xiptables -S', 'ip7tables -S'].map(asked)
    expect([parseRequestedTable(undefined), ...others].every((each) => each === undefined)).toBe(true)
  })

  it.each(['search', 'cut'] as const)('are recognized together with the output filter: %s', (filter) => {
    expect(parseRequestedTable({ tool: 'iptables-save', args: [], filter })?.filter).toBe(filter)
    expect(parseRequestedTable({ tool: 'iptables', args: ['-S'], filter })?.filter).toBe(filter)
  })
})

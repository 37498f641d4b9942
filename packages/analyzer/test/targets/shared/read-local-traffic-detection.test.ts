import { expect, it } from 'vitest'
import type { IptablesState } from '../../../../compiler/src/dataplane/iptables/ast.js'
import { cidr } from '../../../../compiler/test/support/decisions.js'
import { readDump } from '../../../../compiler/test/support/read-dump.js'
import { readIptablesLocalTrafficDetection } from '../../../src/targets/shared/read-local-traffic-detection.js'

function stateOf(...rules: readonly string[]): IptablesState {
  const chains = ['KUBE-SERVICES', 'KUBE-SVC-A', 'KUBE-MARK-MASQ'].map((chain) => `:${chain} - [0:0]`)
  const { iptables } = readDump(['*nat', ...chains, ...rules, 'COMMIT', ''].join('\n')).IPv4
  if (iptables === undefined) throw new Error('there are no rules')
  return iptables
}

const MARK = '-j KUBE-MARK-MASQ'

it.each([
  ['! -s 10.244.0.0/16', { kind: 'cidr', cidr: cidr('10.244.0.0/16') }],
  ['! -s 10.244.0.1/32', { kind: 'cidr', cidr: cidr('10.244.0.1/32') }],
  ['! -i cbr0', { kind: 'interface', interface: 'cbr0' }],
  ['! -i cali+', { kind: 'interfacePrefix', prefix: 'cali' }],
  ['-s 10.244.0.0/16', undefined],
  ['-i cbr0', undefined],
  ['', undefined],
])('readIptablesLocalTrafficDetection returns for the match "%s" the detection %j', (match, localTrafficDetection) => {
  const rule = ['-A KUBE-SVC-A', match, '-d 10.0.0.1/32', MARK].filter((word) => word !== '').join(' ')
  expect(readIptablesLocalTrafficDetection(stateOf(rule))).toEqual(localTrafficDetection)
  const before = ['-A KUBE-SERVICES -j KUBE-SVC-A', `-A KUBE-SVC-A -d 10.0.0.9/32 ${MARK}`]
  expect(readIptablesLocalTrafficDetection(stateOf(...before, rule))).toEqual(localTrafficDetection)
})

it('readIptablesLocalTrafficDetection ignores rules with other targets', () => {
  expect(
    readIptablesLocalTrafficDetection(stateOf('-A KUBE-SERVICES ! -s 10.244.0.0/16 -j KUBE-SVC-A')),
  ).toBeUndefined()
  expect(readIptablesLocalTrafficDetection(stateOf('-A KUBE-SERVICES ! -s 10.244.0.0/16 -j ACCEPT'))).toBeUndefined()
  expect(readIptablesLocalTrafficDetection(stateOf('-A KUBE-SERVICES ! -s 10.244.0.0/16'))).toBeUndefined()
})

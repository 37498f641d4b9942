import { expect, it } from 'vitest'
import type { IptablesState } from '../../../../compiler/src/dataplane/iptables/ast.js'
import { cidr } from '../../../../compiler/test/support/decisions.js'
import { readDump } from '../../../../compiler/test/support/read-dump.js'
import { readPodTraffic } from '../../../src/targets/shared/read-pod-traffic.js'

function stateOf(...rules: readonly string[]): IptablesState {
  const chains = ['KUBE-SERVICES', 'KUBE-SVC-A', 'KUBE-MARK-MASQ'].map((chain) => `:${chain} - [0:0]`)
  const { iptables } = readDump(['*nat', ...chains, ...rules, 'COMMIT', ''].join('\n')).IPv4
  if (iptables === undefined) throw new Error('there are no rules')
  return iptables
}

const MARK = '-j KUBE-MARK-MASQ'

it.each([
  ['! -s 10.244.0.0/16', { by: 'cidr', cidr: cidr('10.244.0.0/16') }],
  ['! -s 10.244.0.1/32', { by: 'cidr', cidr: cidr('10.244.0.1/32') }],
  ['! -i cbr0', { by: 'interface', interface: 'cbr0' }],
  ['! -i cali+', { by: 'interfacePrefix', prefix: 'cali' }],
  ['-s 10.244.0.0/16', undefined],
  ['-i cbr0', undefined],
  ['', undefined],
])('readPodTraffic finds in %j the detection %j', (match, podTraffic) => {
  const rule = ['-A KUBE-SVC-A', match, '-d 10.0.0.1/32', MARK].filter((word) => word !== '').join(' ')
  expect(readPodTraffic(stateOf(rule))).toEqual(podTraffic)
  const before = ['-A KUBE-SERVICES -j KUBE-SVC-A', `-A KUBE-SVC-A -d 10.0.0.9/32 ${MARK}`]
  expect(readPodTraffic(stateOf(...before, rule))).toEqual(podTraffic)
})

it('readPodTraffic ignores rules with other targets', () => {
  expect(readPodTraffic(stateOf('-A KUBE-SERVICES ! -s 10.244.0.0/16 -j KUBE-SVC-A'))).toBeUndefined()
  expect(readPodTraffic(stateOf('-A KUBE-SERVICES ! -s 10.244.0.0/16 -j ACCEPT'))).toBeUndefined()
  expect(readPodTraffic(stateOf('-A KUBE-SERVICES ! -s 10.244.0.0/16'))).toBeUndefined()
})

import { expect, it } from 'vitest'
import type { Drift } from '../../src/verify/report.js'
import { groupDrift } from '../../src/verify/verify.js'

const finding = (servicePort: string, subsystem: Drift['subsystem'], location: string, reason = '') => ({
  servicePort,
  drift: { subsystem, location, part: { kind: 'table', table: '' }, kind: 'extra', reason } as const,
})

it('drift is sorted by service port, subsystem and location, and equal items keep their order', () => {
  const groups = groupDrift([
    finding('ns/b', 'addresses', '1'),
    finding('ns/b', 'ipset', '2'),
    finding('ns/b', 'iptables', '9', 'first'),
    finding('ns/B', 'ipvs', '1'),
    finding('ns/b', 'iptables', '10'),
    finding('', 'iptables', '1'),
    finding('ns/b', 'ipvs', '0'),
    finding('ns/b', 'iptables', '9', 'second'),
  ])
  expect(groups.map(({ servicePort }) => servicePort)).toEqual(['', 'ns/B', 'ns/b'])
  expect(
    groups.at(-1)?.drift.map(({ subsystem, location, reason }) => [subsystem, location, reason].join(' ').trim()),
  ).toEqual(['ipset 2', 'ipvs 0', 'addresses 1', 'iptables 10', 'iptables 9 first', 'iptables 9 second'])
})

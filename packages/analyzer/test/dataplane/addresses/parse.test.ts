import { describe, expect, it } from 'vitest'
import { dumpLines } from '../../../../compiler/test/dataplane/addresses/dump-lines.js'
import { isAddressLine, readAddressLines } from '../../../src/dataplane/addresses/parse.js'

/** The output of `ip -o address show dev kube-ipvs0` (iproute2 6.1). */
const SHOWN = `5: kube-ipvs0    inet 172.30.0.41/32 scope global kube-ipvs0\\       valid_lft forever preferred_lft forever
5: kube-ipvs0    inet 172.30.0.10/32 scope global kube-ipvs0\\       valid_lft forever preferred_lft forever
5: kube-ipvs0    inet6 fd00::41/128 scope global \\       valid_lft forever preferred_lft forever
5: kube-ipvs0    inet6 fe80::a8bb:ccff:fedd:eeff/64 scope link \\       valid_lft forever preferred_lft forever
`

describe('readAddressLines', () => {
  it('returns addresses by family in code-unit order, without addresses that the kernel assigns', () => {
    expect(readAddressLines(dumpLines(SHOWN))).toEqual({
      states: { IPv4: { addresses: ['172.30.0.10', '172.30.0.41'] }, IPv6: { addresses: ['fd00::41'] } },
      problems: [],
    })
  })

  it('parses the batch that binds addresses with `add` or `replace`', () => {
    const batch = [
      'link add kube-ipvs0 type dummy',
      'address add 10.0.0.9/32 dev kube-ipvs0',
      'address replace 10.0.0.10/32 dev kube-ipvs0',
      'address add 10.0.0.9/32 dev kube-ipvs0',
    ]
    expect(readAddressLines(dumpLines(batch.join('\n'))).states).toEqual({
      IPv4: { addresses: ['10.0.0.10', '10.0.0.9'] },
      IPv6: { addresses: [] },
    })
  })

  it('recognizes a device without addresses', () => {
    const none = { addresses: [] }
    expect(readAddressLines(dumpLines('link add kube-ipvs0 type dummy')).states).toEqual({ IPv4: none, IPv6: none })
  })

  it('returns undefined if no line belongs to the device', () => {
    expect(readAddressLines([])).toEqual({ states: {}, problems: [] })
  })

  it('returns addresses in canonical notation', () => {
    const line = '9: kube-ipvs0    inet6 fd00:0:0::0:41/128 scope global \\       valid_lft forever'
    expect(readAddressLines(dumpLines(line)).states.IPv6).toEqual({ addresses: ['fd00::41'] })
  })
})

describe('isAddressLine', () => {
  it.each(SHOWN.split('\n').filter(Boolean))('accepts %j', (line) => {
    expect(isAddressLine(line)).toBe(true)
  })

  it.each([
    '2: eth0    inet 192.168.0.2/24 brd 192.168.0.255 scope global eth0\\       valid_lft forever',
    'address add 10.0.0.1/32 dev eth0',
    'address del 10.0.0.1/32 dev kube-ipvs0',
    'link add eth1 type dummy',
    'add KUBE-CLUSTER-IP 10.0.0.1,tcp:80',
    '-A KUBE-SERVICES -d 10.0.0.1/32 -j ACCEPT',
    '',
  ])('rejects %j', (line) => {
    expect(isAddressLine(line)).toBe(false)
  })
})

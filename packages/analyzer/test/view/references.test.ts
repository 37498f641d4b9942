import { describe, expect, it } from 'vitest'
import type { PathStep } from '../../src/program/steps.js'
import { parseRuleReference, parseServiceReference, toRuleReference } from '../../src/view/references.js'

describe('parseServiceReference', () => {
  it.each([
    ['default/web:http/TCP', 'default', 'web'],
    ['default/web/UDP', 'default', 'web'],
    ['kube-system/kube-dns:dns-tcp/TCP', 'kube-system', 'kube-dns'],
    ['default/web:http', 'default', 'web'],
  ])('returns the Service of %s', (text, namespace, name) => {
    expect(parseServiceReference(text)).toEqual([{ kind: 'Service', namespace, name }])
  })

  it.each([undefined, '', 'web', 'shared by all service ports', 'a/b/c/d'])('returns undefined for %s', (text) => {
    expect(parseServiceReference(text)).toEqual([])
  })
})

describe('toRuleReference', () => {
  const step = (words: Partial<PathStep>): PathStep => ({
    ...{ hook: 'PREROUTING', table: '', chain: '', text: 'rule', target: '', jumpsTo: '' },
    ...{ comment: '', servicePort: '' },
    ...words,
  })

  it.each([
    [{ table: 'iptables nat', chain: 'KUBE-SERVICES' }, 'iptables', 'nat/KUBE-SERVICES'],
    [{ table: 'nftables ip kube-proxy', chain: 'services' }, 'nftables', 'nftables ip kube-proxy chain services'],
    [{ table: 'ipvs', text: '-A -t 10.96.0.1:80 -s rr' }, 'ipvs', 'ipvs TCP 10.96.0.1:80'],
    [{ table: 'ipvs', text: '-A -u [fd00::1]:53 -s rr' }, 'ipvs', 'ipvs UDP [fd00::1]:53'],
    [
      { table: 'ipvs', text: '-a --sctp-service 10.96.0.1:9 -r 10.244.1.1:9 -m -w 1' },
      'ipvs',
      'ipvs SCTP 10.96.0.1:9 10.244.1.1:9',
    ],
  ])('returns the location of %o', (words, subsystem, location) => {
    const { text = 'rule' } = words as Partial<PathStep>
    expect(toRuleReference(step(words))).toEqual({ subsystem, location, text })
  })

  it.each([{ table: 'something else' }, { table: 'iptables broute' }, { table: 'ipvs', text: '-A FORWARD' }])(
    'returns only the text of %o',
    (words) => {
      expect(toRuleReference(step(words))).toEqual({ location: '', text: step(words).text })
    },
  )
})

describe('parseRuleReference', () => {
  it.each([
    ['nat/KUBE-SERVICES', 'iptables'],
    ['ipset KUBE-CLUSTER-IP 10.96.0.1,tcp:80', 'ipset'],
    ['ipvs TCP 10.96.0.1:80', 'ipvs'],
    ['address 10.96.0.1', 'addresses'],
    ['nftables ip kube-proxy chain services', 'nftables'],
  ])('treats %s as a location', (location, subsystem) => {
    expect(parseRuleReference(location)).toEqual({ subsystem, location, text: '' })
  })

  it('treats all other input as the text of a rule', () => {
    expect(parseRuleReference('-A KUBE-SERVICES -j X')).toEqual({ location: '', text: '-A KUBE-SERVICES -j X' })
  })
})

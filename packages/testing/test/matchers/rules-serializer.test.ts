import { compile, print } from '@kube-rules/compiler'
import { describe, expect, it } from 'vitest'
import { rulesSerializer } from '../../src/matchers/rules-serializer.js'
import { SERVICE, SHOP } from '../support/shop.js'

const result = compile(SHOP, { families: ['IPv4'], mode: 'iptables', kubernetesVersion: '1.34' })
const [family] = result.families

describe('rulesSerializer', () => {
  it('serializes a result as diagnostics and the saved rules of each family', () => {
    const both = compile({ ...SHOP, services: [SERVICE, {}] }, { kubernetesVersion: '1.34' })
    const lines = rulesSerializer.serialize(both).split('\n')
    expect(lines.filter((line) => line.startsWith('#'))).toEqual([
      expect.stringMatching(/^# info: KubeProxyConfiguration config: clusterCIDR: .* \[noLocalTrafficDetection\]$/),
      expect.stringMatching(/^# error: Service without a name: metadata.namespace: .* \[missingField\]$/),
      expect.stringMatching(/^# error: Service without a name: metadata.name: .* \[missingField\]$/),
      expect.stringMatching(/^# warning: Service without a name: spec.clusterIP: .* \[missingField\]$/),
      '# IPv4',
      '# IPv6',
    ])
    expect(lines).toContainEqual(expect.stringMatching(/^-A KUBE-SEP-.* --to-destination 10\.244\.1\.5:8080$/))
  })

  it('serializes a family and a state, without the last line feed', () => {
    const saved = print(family?.state ?? { family: 'IPv4' }, { format: 'save' }).trimEnd()
    expect(saved).toContain('--to-destination 10.244.1.5:8080')
    expect(rulesSerializer.serialize(family?.state)).toBe(saved)
    expect(rulesSerializer.serialize(family)).toBe(`# IPv4\n${saved}`)
  })

  it('serializes the rules of every mode', () => {
    const texts = (['ipvs', 'nftables'] as const).map((mode) => rulesSerializer.serialize(compile(SHOP, { mode })))
    expect(texts[0]).toContain('-A -t 10.96.0.10:80 -s rr')
    expect(texts[1]).toContain('10.96.0.10 . tcp . 80 : goto service-')
  })

  it('is for results, families and states only', () => {
    expect([result, family, family?.state].map((value) => rulesSerializer.test(value))).toEqual([true, true, true])
    const others = [null, 7, 'IPv4', [], {}, family?.plan, { family: 'IPv4' }, { family: 'IPv4', tables: {} }, SHOP]
    expect(others.map((value) => rulesSerializer.test(value))).toEqual(others.map(() => false))
  })
})

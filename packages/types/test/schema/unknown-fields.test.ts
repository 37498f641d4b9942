import { describe, expect, it } from 'vitest'
import { findUnknownFields } from '../../src/schema/unknown-fields.js'

describe('findUnknownFields', () => {
  it('returns fields that no kube-proxy version has, including fields inside sections', () => {
    const configuration = {
      kind: 'KubeProxyConfiguration',
      mod: 'ipvs',
      iptables: { masqueradeBits: 14, masqueradeAll: true },
      logging: { options: { anything: 1 }, level: 3 },
      featureGates: { Anything: true },
      detectLocal: null,
    }
    expect(findUnknownFields(configuration).map(({ path }) => path)).toEqual([
      'mod',
      'iptables.masqueradeBits',
      'logging.level',
    ])
  })

  it('returns unknown fields even if they have names of prototype members', () => {
    const configuration = JSON.parse('{"constructor":1,"ipvs":{"__proto__":{},"toString":1}}')
    expect(findUnknownFields(configuration).map(({ path }) => path)).toEqual([
      'constructor',
      'ipvs.__proto__',
      'ipvs.toString',
    ])
  })

  it.each([undefined, null, 1, 'text', [], { iptables: [1], ipvs: 'x' }])(
    'returns nothing if the configuration is %j',
    (value) => {
      expect(findUnknownFields(value)).toEqual([])
    },
  )
})

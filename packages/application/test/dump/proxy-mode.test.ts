import { compile } from '@kube-rules/compiler'
import { describe, expect, it } from 'vitest'
import { findReportedConfiguration, findReportedMode, formatNodeSettings } from '../../src/dump.js'

const dump = (mode: string) => [{ name: 'dump', text: `*nat\nCOMMIT\n# kube-proxy mode: ${mode}\n` }]

describe('findReportedMode', () => {
  it.each([
    ['nftables', 'nftables'],
    ['kernelspace', undefined],
    ['ipvs and more', undefined],
  ])('reads from %s: %s', (text, expected) => {
    expect(findReportedMode(dump(text))).toBe(expected)
  })
})

describe('findReportedConfiguration', () => {
  it('returns the output of /configz', () => {
    const configz = '{"kubeproxy.config.k8s.io":{"Mode":"ipvs"}}'
    const text = `# kube-proxy mode: ipvs\n# kube-proxy configuration: ${configz}\n*nat\nCOMMIT\n`
    expect(findReportedConfiguration({ name: 'node-1', text })).toEqual({ name: '/configz on node-1', text: configz })
    expect(findReportedConfiguration({ name: 'node-1', text: '# kube-proxy configuration: none\n' })).toBeUndefined()
  })
})

describe('formatNodeSettings', () => {
  const result = compile({ services: [] }, { mode: 'iptables', families: ['IPv4'] })

  it('warns about another mode than the mode that kube-proxy reports', () => {
    expect(formatNodeSettings(dump('ipvs'), result)).toEqual([
      'warning: kube-proxy on the node runs in ipvs mode, but the computed rules are of iptables mode; --mode ipvs computes its rules',
    ])
    expect(formatNodeSettings(dump('iptables'), result)).toEqual([])
  })
})

import type { Node } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { findReportedVersion } from '../../src/cluster/find-reported-version.js'

const node = (nodeInfo: unknown, name = 'node-1') => ({ metadata: { name }, status: { nodeInfo } }) as Node

describe('findReportedVersion', () => {
  it.each([
    ['v1.30.5', '1.30'],
    ['v1.36.0-rc.1', '1.36'],
    ['v1.34', '1.34'],
    ['v1.18.2', '1.18.2'],
    ['v1.18.20', '1.18'],
    ['v1.14.10', '1.14'],
    ['1.33.2', '1.33'],
    ['v1.3.0', undefined],
    ['v1.99.0', undefined],
    ['latest', undefined],
  ])('maps %j to %j', (kubeProxyVersion, version) => {
    const found = findReportedVersion([node({ kubeProxyVersion })], undefined, undefined)
    expect(found.version).toBe(version)
    expect(found.note).toBe(
      version &&
        `Node node-1 has version ${kubeProxyVersion}: rules of kube-proxy ${version}; --kubernetes-version selects another`,
    )
  })

  it('uses the kubelet version if the Node has no kube-proxy version', () => {
    for (const kubeProxyVersion of ['', undefined, 7]) {
      expect(
        findReportedVersion([node({ kubeProxyVersion, kubeletVersion: 'v1.35.1' })], undefined, undefined).version,
      ).toBe('1.35')
    }
  })

  it.each([undefined, null, {}, 7, { kubeProxyVersion: {} }])('returns undefined for %j', (nodeInfo) => {
    expect(findReportedVersion([node(nodeInfo)], undefined, undefined)).toEqual({})
  })

  it('uses the Node object of the target node', () => {
    const nodes = [node({ kubeProxyVersion: 'v1.31.0' }), node({ kubeProxyVersion: 'v1.32.0' }, 'node-2')]
    expect(findReportedVersion(nodes, 'node-2', { hostnameOverride: 'node-1' }).version).toBe('1.32')
    expect(findReportedVersion(nodes, undefined, { hostnameOverride: ' Node-1 ' }).version).toBe('1.31')
    expect(findReportedVersion(nodes, 'node-3', undefined)).toEqual({})
    expect(findReportedVersion(nodes, undefined, undefined)).toEqual({})
    expect(findReportedVersion([], undefined, undefined)).toEqual({})
  })
})

import { describe, expect, it } from 'vitest'
import { parseManifests } from '../../src/schema/index.js'

const HOSTILE = 'a\u001b[2J\rb\u202e\u009b'

describe('parseManifests', () => {
  it.each([
    ['kind', { kind: HOSTILE, apiVersion: 'v1', metadata: { name: 'a' } }],
    ['apiVersion', { kind: 'Service', apiVersion: `${HOSTILE}/v1`, metadata: { name: 'a' } }],
    ['name', { kind: 'Service', apiVersion: 'v1', metadata: { name: HOSTILE }, spec: { ports: 3 } }],
    ['type', { kind: 'Service', apiVersion: 'v1', metadata: { name: 'a' }, spec: { type: HOSTILE, ports: HOSTILE } }],
    ['protocol', { kind: 'Service', apiVersion: 'v1', metadata: { name: 'a' }, spec: { ports: [{ port: HOSTILE }] } }],
    ['field', { kind: 'KubeProxyConfiguration', apiVersion: 'kubeproxy.config.k8s.io/v1alpha1', [HOSTILE]: 1 }],
  ])('escapes control characters in the message about a hostile %s', (_, document) => {
    const messages = parseManifests([document]).diagnostics.map(({ message }) => message)
    expect(messages).not.toEqual([])
    for (const message of messages) expect(message).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  })
})

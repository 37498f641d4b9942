import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  FLAG_PERSISTENT,
  type RealServer,
  VIRTUAL_SERVER_PROTOCOLS,
  type VirtualServer,
} from '../../../src/dataplane/ipvs/ast.js'
import {
  formatRealServer,
  formatRealServerKey,
  formatVirtualServer,
} from '../../../src/dataplane/ipvs/format-server.js'
import { listVirtualServerResources, parseServerId, toRealServerId } from '../../../src/dataplane/ipvs/resources.js'

describe('the texts and keys of servers', () => {
  it.each([
    ['10.96.0.9', '10.244.2.2', '10.96.0.9:80/TCP', '10.244.2.2:8080'],
    ['fd00:96::9', 'fd00:244::2', '[fd00:96::9]:80/TCP', '[fd00:244::2]:8080'],
  ])(
    'contain the virtual address %s and the real address %s with their ports',
    (address, endpoint, virtualText, realText) => {
      const virtualServer = { address, port: 80, protocol: 'TCP' } as const
      const realServer = { address: endpoint, port: 8080 }
      expect(formatVirtualServer(virtualServer)).toBe(virtualText)
      expect(formatRealServer(realServer)).toBe(realText)
      expect(formatRealServerKey(virtualServer, realServer)).toBe(`${virtualText}/${realText}`)
      expect(toRealServerId(`${virtualText}/${realText}`)).toBe(`ipvs TCP ${virtualText.slice(0, -4)} ${realText}`)
    },
  )
})

const addresses = fc.oneof(fc.ipV4(), fc.constantFrom('fd00::1', '2001:db8::', '::1', 'fe80::a:b', '::'))
const ports = fc.nat(65535)

it('toRealServerId maps the key of every real server to its resource ID', () => {
  fc.assert(
    fc.property(
      addresses,
      ports,
      fc.constantFrom(...VIRTUAL_SERVER_PROTOCOLS),
      addresses,
      ports,
      (address, port, protocol, ip, to) => {
        const realServer: RealServer = { address: ip, port: to, forwarding: 'masquerade', weight: 1 }
        const flags = FLAG_PERSISTENT
        const server: VirtualServer = {
          address,
          port,
          protocol,
          scheduler: 'rr',
          flags,
          timeout: 1,
          realServers: [realServer],
        }
        const id = toRealServerId(formatRealServerKey(server, realServer))
        expect(listVirtualServerResources(server)[1]?.id).toBe(id)
        expect(parseServerId(id)).toEqual({
          virtualServer: { address, port, protocol },
          realServer: { address: ip, port: to },
        })
      },
    ),
  )
})

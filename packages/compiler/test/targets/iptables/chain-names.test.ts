import { describe, expect, it } from 'vitest'
import {
  listEndpointChainNames,
  servicePortChainsOf,
  siblingChainsOf,
} from '../../../src/targets/iptables/chain-names.js'
import { isServicePortChain } from '../../../src/targets/shared/kube-chains.js'
import { servicePortId } from '../../support/model-builder.js'

describe('servicePortChainsOf', () => {
  it.each([
    ['ns1', 'svc1', 'p80', 'XPGD46QRK7WJZT7O'],
    ['ns2', 'svc2', 'p80', 'GNZBNJ2PO5MGZ6GT'],
    ['ns3', 'svc3', 'p80', 'X27LE4BHSL4DOUIK'],
    ['ns4', 'svc4', 'p80', '4SW47YFZTEDKD3PK'],
    ['ns5', 'svc5', 'p80', 'NUKIZ6OKUXPJNT4C'],
    ['default', 'kubernetes', 'https', 'NPX46M4PTMTKRN6Y'],
    ['kube-system', 'kube-dns', 'dns-tcp', 'ERIFXISQEP7F7OF4'],
  ])('returns the chain names of kube-proxy for %s/%s:%s', (namespace, name, portName, hash) => {
    expect(servicePortChainsOf(servicePortId({ namespace, name, portName }))).toEqual({
      cluster: `KUBE-SVC-${hash}`,
      local: `KUBE-SVL-${hash}`,
      external: `KUBE-EXT-${hash}`,
      firewall: `KUBE-FW-${hash}`,
    })
  })

  it('hashes a text without a colon if the port has no name', () => {
    const id = servicePortId({ namespace: 'ns', name: 'svc', portName: '' })
    expect(servicePortChainsOf(id).cluster).toBe('KUBE-SVC-VQRITURWPHXFU3HQ')
  })
})

describe('siblingChainsOf', () => {
  it('returns all chains of the service port that a chain belongs to', () => {
    const chains = servicePortChainsOf(servicePortId())
    for (const chain of Object.values(chains)) expect(siblingChainsOf(chain)).toEqual(chains)
  })
})

describe('listEndpointChainNames', () => {
  it.each([
    ['ns1', 'svc1', '10.180.0.1:80', 'SXIVWICOYRO3J4NJ'],
    ['ns2', 'svc2', '10.180.0.2:80', 'RS4RBKLTHTF2IUXJ'],
    ['ns3', 'svc3', '10.180.0.3:80', 'OYPFS5VJICHGATKP'],
    ['ns4', 'svc4', '10.180.0.4:80', 'UKSFD7AGPMPPLUHC'],
    ['ns4', 'svc4', '10.180.0.5:80', 'C6EBXVWJJZMIWKLZ'],
    ['ns5', 'svc5', '10.180.0.3:80', 'I77PXRDZVX7PMWMN'],
  ])('returns the chain name of kube-proxy for %s/%s:p80 and endpoint %s', (namespace, name, endpoint, hash) => {
    expect(listEndpointChainNames(servicePortId({ namespace, name }), [{ text: endpoint }])).toEqual([
      `KUBE-SEP-${hash}`,
    ])
  })
})

describe('isServicePortChain', () => {
  it.each(['KUBE-SVC-A', 'KUBE-SVL-A', 'KUBE-EXT-A', 'KUBE-FW-A', 'KUBE-SEP-A'])('returns true for %s', (chain) => {
    expect(isServicePortChain(chain)).toBe(true)
  })
  it.each(['KUBE-SERVICES', 'KUBE-FIREWALL', 'MY-KUBE-SVC-A', 'kube-svc-a'])('returns false for %s', (chain) => {
    expect(isServicePortChain(chain)).toBe(false)
  })
})

import { describe, expect, it } from 'vitest'
import { chooseFamilies, countOmittedServices } from '../../src/print/choose-families.js'

const v4 = { spec: { clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1'] } }
const v6 = { spec: { clusterIP: 'fd00::1', clusterIPs: ['fd00::1'] } }
const dual = {
  spec: { clusterIP: '10.0.0.2', clusterIPs: ['10.0.0.2', 'fd00::2'], ipFamilies: ['IPv4', 'IPv6'] },
}
const headless = { spec: { clusterIP: 'None', clusterIPs: ['None'], ipFamilies: ['IPv6'] } }

describe('chooseFamilies', () => {
  it.each([
    ['4', [v6], ['IPv4']],
    ['6', [v4], ['IPv6']],
    ['both', [v4], ['IPv4', 'IPv6']],
    [undefined, [], ['IPv4']],
    [undefined, [headless, {}], ['IPv4']],
    [undefined, [v4, v6], ['IPv4']],
    [undefined, [dual], ['IPv4']],
    [undefined, [v6, headless], ['IPv6']],
    [undefined, [{ spec: { clusterIP: 'fd00::1' } }], ['IPv6']],
  ] as const)('for text with --family %s and the Services %j selects the families %j', (choice, services, families) => {
    expect(chooseFamilies(choice, 'text', services)).toEqual(families)
    expect(chooseFamilies(choice, undefined, services)).toEqual(families)
  })

  it.each([
    ['4', ['IPv4']],
    ['6', ['IPv6']],
    [undefined, ['IPv4', 'IPv6']],
  ] as const)('for JSON with --family %s selects the families %j', (choice, families) => {
    expect(chooseFamilies(choice, 'json', [v6])).toEqual(families)
  })
})

describe('countOmittedServices', () => {
  it('counts the Services that have an address of an omitted family', () => {
    expect(countOmittedServices(['IPv4'], [v4, v6, dual, headless])).toBe(2)
    expect(countOmittedServices(['IPv4', 'IPv6'], [v4, v6, dual])).toBe(0)
  })

  it('determines the family of a Service from its address list, as kube-proxy does', () => {
    const unlisted = { spec: { clusterIP: '10.0.0.2', clusterIPs: ['10.0.0.2', 'fd00::2'] } }
    const withoutAddress = { spec: { clusterIP: '10.0.0.2', clusterIPs: ['10.0.0.2'], ipFamilies: ['IPv4', 'IPv6'] } }
    expect(countOmittedServices(['IPv4'], [unlisted, withoutAddress])).toBe(0)
  })
})

import type { CompileInput } from '@kube-rules/compiler'
import { describe, expect, it } from 'vitest'
import { endpointsOf, slice } from '../../../compiler/test/support/objects.js'
import { findPodName, readLastEndpointChanges } from '../../src/diagnose/slice-facts.js'

const POD = { addresses: ['10.244.1.5'], targetRef: { kind: 'Pod', name: 'web-7f9' } }

/** EndpointSlices as clients may receive them: `compile` reports what is invalid. */
function input(...endpointSlices: readonly unknown[]): Pick<CompileInput, 'endpointSlices'> {
  return { endpointSlices: endpointSlices as never }
}

const [ENDPOINT] = endpointsOf([slice([POD])])
const SERVICE = { namespace: 'ns1', name: 'web', portName: 'http', protocol: 'TCP', text: 'ns1/web:http' } as const

function podNameIn(...slices: readonly unknown[]): string | undefined {
  if (ENDPOINT === undefined) throw new Error('the slice has one endpoint')
  return findPodName(input(...slices), SERVICE, ENDPOINT)
}

describe('findPodName', () => {
  it('returns the name of the pod that belongs to the endpoint with the address', () => {
    expect(podNameIn(slice([{ addresses: ['10.244.1.9'] }, POD]))).toBe('web-7f9')
    expect(podNameIn(slice([POD], { service: 'other' }))).toBeUndefined()
  })

  it('skips slices and endpoints that are not objects', () => {
    const invalid = [null, undefined, 7, 'x', {}, { addresses: null }, { addresses: '10.244.1.5', targetRef: null }]
    expect(podNameIn(null, 'x', {}, { metadata: 7 }, slice([...invalid, POD] as never))).toBe('web-7f9')
    expect(podNameIn(slice(null as never), slice([{ ...POD, conditions: 7 as never }]))).toBe('web-7f9')
    expect(podNameIn(slice([{ ...POD, targetRef: { kind: 'Pod', name: 7 as never } }]))).toBeUndefined()
  })
})

describe('readLastEndpointChanges', () => {
  const annotated = (annotations: unknown) => ({ metadata: { ...slice([]).metadata, annotations } })
  const changedAt = (time: unknown) => annotated({ 'endpoints.kubernetes.io/last-change-trigger-time': time })

  it('returns the last change of each Service', () => {
    const [early, late] = ['2026-01-01T10:00:00Z', '2026-01-01T12:00:00Z']
    expect(readLastEndpointChanges(input(changedAt(late), changedAt(early)))).toEqual(new Map([['ns1/web', late]]))
  })

  it('skips slices without a valid time', () => {
    const invalid = [null, 'x', {}, annotated(null), annotated('x'), changedAt(7), changedAt('yesterday')]
    expect(readLastEndpointChanges(input(...invalid))).toEqual(new Map())
  })
})

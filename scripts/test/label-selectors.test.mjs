import { describe, expect, it } from 'vitest'
import { withOlderSelectors } from '../conformance/label-selectors.mjs'

const object = (kind, label) => ({ kind, metadata: { labels: { [`service.kubernetes.io/${label}`]: '' } } })
const HEADLESS_SERVICE = object('Service', 'headless')
const FOREIGN_SLICE = object('EndpointSlice', 'service-proxy-name')
const OTHERS = [object('Service', 'service-proxy-name'), object('EndpointSlice', 'headless'), { kind: 'Node' }]

describe('withOlderSelectors', () => {
  it('removes the objects that only the label selectors of 1.35 exclude', () => {
    const steps = [{ objects: [HEADLESS_SERVICE, ...OTHERS, FOREIGN_SLICE], expected: {} }]
    const recorded = { name: 'a', kubernetesVersion: '1.36', steps }
    expect(withOlderSelectors(recorded)).toEqual({ ...recorded, steps: [{ objects: OTHERS, expected: {} }] })
  })

  it.each([
    ['1.35', [HEADLESS_SERVICE]],
    [undefined, [HEADLESS_SERVICE]],
    ['1.37', OTHERS],
  ])('returns no case for version %s if nothing is removed', (kubernetesVersion, objects) => {
    expect(withOlderSelectors({ name: 'a', kubernetesVersion, steps: [{ objects }] })).toBeUndefined()
  })
})

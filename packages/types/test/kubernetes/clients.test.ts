import { describe, expect, it } from 'vitest'
import type { EndpointSlice, Service } from '../../src/index.js'
import { parseManifests } from '../../src/schema/index.js'
import emptySlice from './empty-slice.json' with { type: 'json' }
import headlessService from './headless-service.json' with { type: 'json' }

describe('an imported JSON file with null lists', () => {
  it('has the type of the Kubernetes object without a cast, and passes its schema', () => {
    const service: Service = headlessService
    const slice: EndpointSlice = emptySlice
    const { services, endpointSlices, diagnostics } = parseManifests([service, slice])
    expect({ services, endpointSlices, diagnostics }).toEqual({
      services: [headlessService],
      endpointSlices: [emptySlice],
      diagnostics: [],
    })
  })
})

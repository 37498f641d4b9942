import { describe, expect, it } from 'vitest'
import { withPort } from '../../../src/model/endpoints/endpoint.js'
import { endpoint } from '../../support/model-builder.js'

describe('withPort', () => {
  const given = endpoint({ ip: 'fd00::1', port: 80, local: true, hints: { zones: ['a'], nodes: ['b'] } })

  it('returns the identical endpoint if the endpoint already has the port', () => {
    expect(withPort(given, 80)).toBe(given)
  })

  it('changes only the port and the text of the endpoint', () => {
    expect(withPort(given, 8080)).toEqual({ ...given, port: 8080, text: '[fd00::1]:8080' })
  })
})

import { describe, expect, it } from 'vitest'
import { safeParseEndpointSlice, safeParseService } from '../../src/schema/index.js'

/** JSON values in place of a name, each a way to break code that expects text. */
const NOT_NAMES = [
  { length: { toString: null, valueOf: null } },
  { length: 'long' },
  { length: 64, toString: null },
  [['a']],
  JSON.parse('{"__proto__":{"length":1}}'),
  7,
  true,
]

describe.each(NOT_NAMES)('the name %j', (name) => {
  it.each([
    ['metadata.name', { metadata: { namespace: 'a', name } }],
    ['metadata.namespace', { metadata: { namespace: name, name: 'a' } }],
    ['spec.ports[0].name', { metadata: { namespace: 'a', name: 'a' }, spec: { ports: [{ name, port: 80 }] } }],
  ])('is rejected as %s of a Service', (path, service) => {
    expect(safeParseService(service)).toMatchObject({ ok: false, problems: [{ code: 'invalidType', path }] })
  })

  it('is rejected as metadata.name of an EndpointSlice', () => {
    const slice = { metadata: { namespace: 'a', name }, addressType: 'IPv4' }
    expect(safeParseEndpointSlice(slice)).toMatchObject({
      ok: false,
      problems: [{ code: 'invalidType', path: 'metadata.name' }],
    })
  })
})

describe('safeParseService', () => {
  it.each([
    ['a'.repeat(63), true],
    ['a'.repeat(64), false],
    [`${'a'.repeat(62)}-`, false],
  ])('accepts the name %s only if it is a valid label of at most 63 characters', (name, success) => {
    expect(safeParseService({ metadata: { namespace: 'a', name } }).ok).toBe(success)
  })
})

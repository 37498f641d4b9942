import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { huesOf } from '../../src/question/hues.js'

const names = fc.uniqueArray(fc.string(), { maxLength: 40 })

describe('huesOf', () => {
  it('returns different hues for service ports until all hues are used', () => {
    fc.assert(
      fc.property(names, (ports) => {
        const hues = huesOf(ports)
        expect(hues).toHaveLength(ports.length)
        expect(new Set(hues).size).toBe(Math.min(ports.length, 18))
        for (const hue of hues) expect(hue >= 0 && hue < 360).toBe(true)
      }),
    )
  })

  it('keeps the hues of existing service ports when another service port is added', () => {
    fc.assert(
      fc.property(names, fc.string(), (ports, added) => {
        expect(huesOf([...ports, added]).slice(0, ports.length)).toEqual(huesOf(ports))
      }),
    )
  })

  it('depends only on the names of service ports', () => {
    expect(huesOf(['default/web:http/TCP'])).toEqual(huesOf(['default/web:http/TCP', 'x']).slice(0, 1))
    expect(huesOf([])).toEqual([])
  })
})

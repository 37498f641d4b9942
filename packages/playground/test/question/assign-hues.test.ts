import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assignHues } from '../../src/question/assign-hues.js'

const names = fc.uniqueArray(fc.string(), { maxLength: 40 })

describe('assignHues', () => {
  it('returns different hues for service ports until all hues are used', () => {
    fc.assert(
      fc.property(names, (ports) => {
        const hues = assignHues(ports)
        expect(hues).toHaveLength(ports.length)
        expect(new Set(hues).size).toBe(Math.min(ports.length, 18))
        for (const hue of hues) expect(hue >= 0 && hue < 360).toBe(true)
      }),
    )
  })

  it('keeps the hues of existing service ports when another service port is added', () => {
    fc.assert(
      fc.property(names, fc.string(), (ports, added) => {
        expect(assignHues([...ports, added]).slice(0, ports.length)).toEqual(assignHues(ports))
      }),
    )
  })

  it('depends only on the names of service ports', () => {
    expect(assignHues(['default/web:http/TCP'])).toEqual(assignHues(['default/web:http/TCP', 'x']).slice(0, 1))
    expect(assignHues([])).toEqual([])
  })
})

import { describe, expect, it } from 'vitest'
import { isDnsLabel } from '../../../src/model/reading/read-field.js'

describe('isDnsLabel', () => {
  it.each(['a', '0', 'web', 'my-svc-2', 'a--b', 'a'.repeat(63)])('accepts %s', (text) => {
    expect(isDnsLabel(text)).toBe(true)
  })

  it.each(['', '-', '-a', 'a-', 'A', 'a.b', 'a_b', 'a b', 'a\n', 'a"', 'ä', 'a/b', 'a:b', 'a`', 'a{', 'a'.repeat(64)])(
    'rejects %j',
    (text) => {
      expect(isDnsLabel(text)).toBe(false)
    },
  )
})

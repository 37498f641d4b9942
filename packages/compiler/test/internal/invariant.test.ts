import { expect, it } from 'vitest'
import { invariant } from '../../src/internal/invariant.js'

it('throws only where the condition does not hold, and blames the library', () => {
  expect(() => invariant(true, 'never')).not.toThrow()
  expect(() => invariant(false, 'two is three')).toThrow('This is a bug in kube-rules: two is three')
})

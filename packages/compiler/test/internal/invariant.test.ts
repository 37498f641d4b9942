import { expect, it } from 'vitest'
import { invariant } from '../../src/internal/invariant.js'

it('invariant throws only if the condition is false, and reports a bug in the library', () => {
  expect(() => invariant(true, 'never')).not.toThrow()
  expect(() => invariant(false, 'two is three')).toThrow('This is a bug in kube-rules: two is three')
})

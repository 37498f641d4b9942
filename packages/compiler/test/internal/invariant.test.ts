import { expect, it } from 'vitest'
import { invariant } from '../../src/internal/invariant.js'

it('invariant throws an error that reports a library bug only if the condition is false', () => {
  expect(() => invariant(true, 'never')).not.toThrow()
  expect(() => invariant(false, 'two is three')).toThrow('This is a bug in kube-rules: two is three')
})

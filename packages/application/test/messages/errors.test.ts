import { describe, expect, it } from 'vitest'
import { systemError } from '../../../cli/test/support/run.js'
import { systemCode, systemReason } from '../../src/messages/errors.js'

describe('systemCode', () => {
  it('returns the code of operating-system errors only', () => {
    expect(systemCode(systemError('EPIPE', 'broken pipe'))).toBe('EPIPE')
    expect(systemCode(Object.assign(new Error('x'), { code: 'ERR_MODULE_NOT_FOUND' }))).toBeUndefined()
    expect(systemCode(Object.assign(new Error('x'), { code: 5 }))).toBeUndefined()
    expect(systemCode(new Error('x'))).toBeUndefined()
    expect(systemCode('EPIPE')).toBeUndefined()
  })
})

describe('systemReason', () => {
  it('omits the code and the system call', () => {
    expect(systemReason(systemError('EISDIR', 'illegal operation on a directory'))).toBe(
      'illegal operation on a directory',
    )
    expect(systemReason(new Error('Invalid string length'))).toBe('Invalid string length')
    expect(systemReason('odd')).toBe('odd')
  })
})

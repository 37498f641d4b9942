import { describe, expect, it } from 'vitest'
import { systemError } from '../../../cli/test/support/run.js'
import { getSystemErrorCode, getSystemErrorReason } from '../../src/messages/errors.js'

describe('getSystemErrorCode', () => {
  it('returns the code only for errors of the operating system', () => {
    expect(getSystemErrorCode(systemError('EPIPE', 'broken pipe'))).toBe('EPIPE')
    expect(getSystemErrorCode(Object.assign(new Error('x'), { code: 'ERR_MODULE_NOT_FOUND' }))).toBeUndefined()
    expect(getSystemErrorCode(Object.assign(new Error('x'), { code: 5 }))).toBeUndefined()
    expect(getSystemErrorCode(new Error('x'))).toBeUndefined()
    expect(getSystemErrorCode('EPIPE')).toBeUndefined()
  })
})

describe('getSystemErrorReason', () => {
  it('returns the message without the code and the system call', () => {
    expect(getSystemErrorReason(systemError('EISDIR', 'illegal operation on a directory'))).toBe(
      'illegal operation on a directory',
    )
    expect(getSystemErrorReason(new Error('Invalid string length'))).toBe('Invalid string length')
    expect(getSystemErrorReason('odd')).toBe('odd')
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseDuration } from '../../../src/model/configuration/duration.js'

describe('parseDuration', () => {
  it.each([
    ['0', 0],
    ['+0', 0],
    ['-0', 0],
    ['0s', 0],
    ['-0s', 0],
    ['5s', 5000],
    ['30s', 30_000],
    ['1478s', 1_478_000],
    ['-5s', -5000],
    ['+5s', 5000],
    ['5.0s', 5000],
    ['5.6s', 5600],
    ['5.s', 5000],
    ['.5s', 500],
    ['-.5s', -500],
    ['1.004s', 1004],
    ['10ns', 1e-5],
    ['11us', 0.011],
    ['12µs', 0.012],
    ['12μs', 0.012],
    ['13ms', 13],
    ['300ms', 300],
    ['14s', 14_000],
    ['15m', 900_000],
    ['16h', 57_600_000],
    ['3h30m', 12_600_000],
    ['10.5s4m', 250_500],
    ['-2m3.4s', -123_400],
    ['-1.5h', -5_400_000],
    ['-1ms', -1],
    ['-1us', -0.001],
    ['1h2m3s4ms5us6ns', 3_723_004.005006],
    ['1h15m30.918273645s', 4_530_918.273645],
    ['2562047h47m', 9_223_372_020_000],
  ])('parses %s', (text, milliseconds) => {
    expect(parseDuration(text)).toBeCloseTo(milliseconds, 6)
  })

  it.each([
    '',
    '3',
    '-',
    's',
    '.',
    '-.',
    '.s',
    '+.s',
    '1d',
    '30 s',
    ' 30s',
    '30s ',
    '1e3s',
    '0x1s',
    '--5s',
    '5S',
    '1,5s',
    '30s\n',
  ])('rejects %j', (text) => {
    expect(parseDuration(text)).toBeUndefined()
  })

  it.each(['2562048h', '9223372036854775808ns', '-9223372036854775809000ns', `${'9'.repeat(400)}h`])(
    'rejects the value %s, which is out of range',
    (text) => {
      expect(parseDuration(text)).toBeUndefined()
    },
  )

  it('rejects text longer than 1000 characters', () => {
    expect(parseDuration('1s'.repeat(500))).toBe(500_000)
    expect(parseDuration(`${'1s'.repeat(500)}0`)).toBeUndefined()
    expect(parseDuration(`${'1s'.repeat(500)}1s`)).toBeUndefined()
    expect(parseDuration('1'.repeat(10_000_000))).toBeUndefined()
  })

  it('returns the sum of the parts of a duration', () => {
    const parts = fc.tuple(fc.nat(99), fc.nat(99), fc.nat(99), fc.nat(999))
    fc.assert(
      fc.property(parts, ([h, m, s, ms]) => {
        expect(parseDuration(`${h}h${m}m${s}s${ms}ms`)).toBe(((h * 60 + m) * 60 + s) * 1000 + ms)
      }),
    )
  })
})

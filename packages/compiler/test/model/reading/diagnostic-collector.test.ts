import { describe, expect, it } from 'vitest'
import {
  addError,
  addInfo,
  addWarning,
  createDiagnosticCollector,
  describeValue,
} from '../../../src/model/reading/diagnostic-collector.js'

describe('a diagnostic collector', () => {
  it('counts errors, but not warnings and infos', () => {
    const collector = createDiagnosticCollector({ kind: 'Service', name: 'web' })
    addWarning(collector, 'invalidValue', 'a', 'first')
    addInfo(collector, 'invalidValue', 'b', 'second')
    expect(collector.errors).toBe(0)
    addError(collector, 'invalidValue', 'c', 'third', 'more')
    addError(collector, 'invalidValue', 'd', 'fourth')
    expect(collector.errors).toBe(2)
    expect(collector.diagnostics.map(({ severity, path, expected }) => [severity, path, expected])).toEqual([
      ['warning', 'a', undefined],
      ['info', 'b', undefined],
      ['error', 'c', 'more'],
      ['error', 'd', undefined],
    ])
  })
})

it.each([
  ['a"b', '"a\\"b"'],
  ['x'.repeat(100), `"${'x'.repeat(64)}"`],
  [[1], 'a list'],
  [{}, 'an object'],
  [null, 'null'],
  [undefined, 'undefined'],
  [7, '7'],
])('describeValue describes %j in one short line', (value, text) => {
  expect(describeValue(value)).toBe(text)
})

import { describe, expect, it } from 'vitest'
import { findUndocumented } from '../api/find-undocumented.mjs'

describe('findUndocumented', () => {
  it('returns the types and fields without a docstring, with their lines', () => {
    const report = [
      '// @public (undocumented)',
      'interface Change {',
      '    // (undocumented)',
      "    readonly kind: 'create';",
      '    readonly resource: Resource;',
      '}',
    ].join('\n')
    expect(findUndocumented(report)).toEqual([
      { line: 2, declaration: 'interface Change {' },
      { line: 4, declaration: "readonly kind: 'create';" },
    ])
  })

  it('returns nothing when every declaration has a docstring', () => {
    const report = ['// @public', 'interface Change {', "    readonly kind: '(undocumented)';", '}'].join('\n')
    expect(findUndocumented(report)).toEqual([])
  })
})

import { describe, expect, it } from 'vitest'
import { pureConstants } from '../packages/pure-constants.mjs'

function transform(code) {
  const { handler } = pureConstants().transform
  return handler(code, 'packages/a/src/a.ts')?.code.toString()
}

describe('pureConstants', () => {
  it('marks an initializer that a bundler would keep', () => {
    expect(transform('export const MODES = new Set(LIST)')).toBe(
      'export const MODES = /* @__PURE__ */ (() => (new Set(LIST)))()',
    )
    expect(transform('const A = [...B, C.d] as const')).toBe(
      'const A = /* @__PURE__ */ (() => ([...B, C.d] as const))()',
    )
  })

  it('changes neither values nor functions', () => {
    expect(
      transform("const A = 'b'\nconst C = A\nconst d = () => e()\nexport function g() { const h = i(); return h }"),
    ).toBe(undefined)
  })
})

import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ENTRY_POINTS, entryPointsOf } from '../api/entry-points.mjs'

describe('entryPointsOf', () => {
  it('returns the root and the subpaths of a package, but no patterns or files', () => {
    const exports = {
      '.': { '@kube-rules/source': './src/index.ts', types: './dist/index.d.ts' },
      './plan': { '@kube-rules/source': './src/entries/plan.ts', types: './dist/entries/plan.d.ts' },
      './internal/*': { '@kube-rules/source': './src/*.ts', types: './dist/*.d.ts' },
      './package.json': './package.json',
    }
    expect(entryPointsOf({ name: '@kube-rules/a', exports }, 'packages/a')).toEqual([
      {
        name: '@kube-rules/a',
        report: 'a',
        folder: 'packages/a',
        source: 'src/index.ts',
        declarations: 'dist/index.d.ts',
      },
      {
        name: '@kube-rules/a/plan',
        report: 'a-plan',
        folder: 'packages/a',
        source: 'src/entries/plan.ts',
        declarations: 'dist/entries/plan.d.ts',
      },
    ])
  })
})

describe('ENTRY_POINTS', () => {
  it('contains one entry point for each API report', () => {
    const reports = readdirSync(new URL('../../etc', import.meta.url))
    expect(ENTRY_POINTS.map(({ report }) => `${report}.api.md`).sort()).toEqual(reports.sort())
  })
})

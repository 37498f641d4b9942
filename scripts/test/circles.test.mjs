import { describe, expect, it } from 'vitest'
import { checkCircles, findCircles } from '../imports/circles.mjs'

/** Builds sources by path, from the type imports of each path. */
function sources(imports) {
  const entries = Object.entries(imports).map(([path, from]) => [
    path,
    from.map((specifier) => `import type { X } from '${specifier}'\n`).join(''),
  ])
  return new Map(entries)
}

describe('findCircles', () => {
  it('finds no circle in an acyclic graph', () => {
    expect(findCircles(sources({ 'a/x.ts': ['./y.js', './z.js'], 'a/y.ts': ['./z.js'], 'a/z.ts': [] }))).toEqual([])
  })

  it('finds a file that imports itself', () => {
    expect(findCircles(sources({ 'a/x.ts': ['./x.js'] }))).toEqual([['a/x.ts']])
  })

  it('finds a circle across folders only once, from the first file in code-unit order', () => {
    const circle = { 'a/z.ts': ['./b/x.js'], 'a/b/x.ts': ['../b/y.js'], 'a/b/y.ts': ['../z.js'], 'a/in.ts': ['./z.js'] }
    expect(findCircles(sources(circle))).toEqual([['a/b/x.ts', 'a/b/y.ts', 'a/z.ts']])
  })

  it('finds the shortest circle for every file', () => {
    const knot = { 'a/x.ts': ['./y.js'], 'a/y.ts': ['./x.js', './z.js'], 'a/z.ts': ['./x.js'] }
    expect(findCircles(sources(knot))).toEqual([
      ['a/x.ts', 'a/y.ts'],
      ['a/x.ts', 'a/y.ts', 'a/z.ts'],
    ])
  })

  it('finds circles in every notation of an import', () => {
    for (const format of [
      "import { type X } from './y.js'",
      "import type {\n  X,\n} from './y.js'",
      "export type { X } from './y.js'",
      "export * from './y.js'",
      "import './y.js'",
      "const later = () => import('./y.js')",
    ]) {
      const files = new Map([
        ['a/x.ts', format],
        ['a/y.ts', "import type { Y } from './x.js'"],
      ])
      expect(findCircles(files), format).toEqual([['a/x.ts', 'a/y.ts']])
    }
  })

  it('ignores comments, and imports of other packages', () => {
    const files = new Map([
      ['a/x.ts', "// import './y.js'\nimport { z } from 'zod'\nimport { y } from '@kube-rules/types'\n"],
      ['a/y.ts', "import './x.js'\n"],
    ])
    expect(findCircles(files)).toEqual([])
  })
})

describe('checkCircles', () => {
  const files = sources({ 'a/x.ts': ['./y.js'], 'a/y.ts': ['./x.js'], 'a/z.ts': ['./x.js'] })

  it('reports a circle as the path from its first file to itself', () => {
    expect(checkCircles(files)).toEqual(['circle of imports: a/x.ts -> a/y.ts -> a/x.ts'])
  })
})

import { describe, expect, it } from 'vitest'
import { buildView, createViewDraft } from '../../src/view/draft.js'
import { printView } from '../../src/view/print-view.js'
import { VIEW_KINDS, type ViewKind } from '../../src/view/view.js'

/** The layout of a line of each kind after a sibling, and below a parent. */
const LAYOUTS: Readonly<Record<ViewKind, readonly [behind: string, below: string]>> = {
  packet: ['line', 'line'],
  owner: ['line', 'line'],
  reason: ['line', 'line'],
  difference: ['line', 'line'],
  step: ['line', 'line'],
  fork: ['line', 'line'],
  outcome: ['line', 'line'],
  heading: ['line', 'line'],
  frontend: ['line', 'line'],
  diagnosis: ['line', 'line'],
  cause: ['line', 'line'],
  steps: ['line', 'line'],
  action: ['  line', '  line'],
  command: ['   line', '   line'],
  trial: ['   line', '   line'],
  impact: ['   line', '   line'],
  rule: ['line', 'line'],
  caveat: ['line', 'line'],
  comparedWith: ['line', 'line'],
  servicePort: ['\nline', 'line'],
  drift: ['  line', '  line'],
  found: ['  line', '  line'],
  expected: ['  line', '  line'],
  verdict: ['\nline', 'line'],
  unverified: ['line', 'line'],
  leftAlone: ['line', 'line'],
  differs: ['\nline', 'line'],
  inconclusive: ['\nline', 'line'],
  contested: ['\nline', 'line'],
  occupied: ['  line', '  line'],
  side: ['  line', '  line'],
  versionCause: ['  line', '  line'],
  rejectionReason: ['  line', '  line'],
  summary: ['\nline', 'line'],
  expectedDifferences: ['line', 'line'],
  notCompared: ['line', 'line'],
}

describe('printView', () => {
  it.each(VIEW_KINDS)('prints lines of kind %s', (kind) => {
    const [behind, below] = LAYOUTS[kind]
    expect(printView(buildView([createViewDraft('packet', 'first'), createViewDraft(kind, 'line')]))).toBe(
      `first\n${behind}\n`,
    )
    expect(
      printView(buildView([createViewDraft('packet', 'above', { children: [createViewDraft(kind, 'line')] })])),
    ).toBe(`above\n${below}\n`)
    expect(printView(buildView([createViewDraft(kind, 'line')])).trim()).toBe('line')
  })

  it('has a layout for exactly the existing kinds of line', () => {
    expect([...VIEW_KINDS].sort()).toEqual(Object.keys(LAYOUTS).sort())
  })

  it('prints paths as a tree, with shared steps after the last branch', () => {
    const path = (label: string, ...below: readonly string[]) =>
      createViewDraft('step', label, {
        isBranch: true,
        children: below.map((each) => createViewDraft('outcome', each)),
      })
    const fork = createViewDraft('fork', 'if so', { isBranch: true, children: [path('a', 'b'), path('c')] })
    const packet = createViewDraft('packet', 'packet', {
      children: [createViewDraft('step', 'step'), fork, path('d', 'e'), createViewDraft('step', 'then')],
    })
    expect(printView(buildView([packet]))).toBe(`packet
step
├─ if so
│  ├─ a
│  │  b
│  └─ c
└─ d
   e
then
`)
  })

  it('prints a fork without a label in the line of its first path', () => {
    const path = (label: string) => createViewDraft('outcome', label, { isBranch: true })
    const fork = createViewDraft('fork', '', { isBranch: true, children: [path('a'), path('b')] })
    expect(printView(buildView([createViewDraft('packet', 'packet', { children: [fork] })]))).toBe(
      'packet\n└─ ├─ a\n   └─ b\n',
    )
  })

  it('prints nothing for an empty state', () => {
    expect(printView([])).toBe('')
  })
})

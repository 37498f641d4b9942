import { describe, expect, it } from 'vitest'
import type { Decision } from '../../../compiler/src/plan/decide.js'
import { findDivergence } from '../../src/explain/difference.js'
import type { TracePath } from '../../src/trace/trace-paths.js'

describe('the deviation of a packet that reaches an endpoint, if tables are missing', () => {
  const path: TracePath = {
    probability: { numerator: 1n, denominator: 1n },
    assumptions: [{ condition: 'missing tables accept it', value: true }],
    outcome: { kind: 'delivered', address: '10.244.1.5', port: 8080, masqueraded: false },
    steps: [],
  } as unknown as TracePath
  const divergence = (decision: Pick<Decision, 'kind'>) => findDivergence(decision as Decision, [path], undefined)?.kind

  it.each(['drop', 'reject', 'unmatched'] as const)(
    'is undetermined if the packet needs no endpoint (%s), because a missing table may reject it',
    (kind) => expect(divergence({ kind })).toBe('undetermined'),
  )

  it('is certain if the packet has to reach another endpoint', () => {
    expect(divergence({ kind: 'endpoints', candidates: [] } as Pick<Decision, 'kind'>)).toBe('drift')
  })
})

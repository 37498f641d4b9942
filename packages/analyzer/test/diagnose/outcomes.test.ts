import type { Outcome } from '@kube-rules/types'
import { expect, it } from 'vitest'
import { formatOutcomes } from '../../src/diagnose/packet-diagnosis-context.js'
import type { TracePath } from '../../src/trace/trace-paths.js'

const REACHED: Outcome = { kind: 'delivered', address: '10.244.1.1', port: 80, masqueraded: false }
const OTHER: Outcome = { ...REACHED, address: '10.244.1.2', masqueraded: true }
const REJECTED: Outcome = { kind: 'rejected', with: 'icmp-port-unreachable' }
const PROXY: Outcome = { kind: 'proxy', port: 30_001 }

it.each<[readonly Outcome[], string, string]>([
  [[REJECTED], 'are rejected', 'may be rejected'],
  [[{ kind: 'dropped' }], 'are dropped', 'may be dropped'],
  [[OTHER, REACHED], 'reach 10.244.1.1:80, 10.244.1.2:80', 'may reach 10.244.1.1:80, 10.244.1.2:80'],
  [[REACHED, REJECTED, REJECTED], 'reach 10.244.1.1:80 or are rejected', 'may reach 10.244.1.1:80 or be rejected'],
  [[PROXY], 'go to the process of kube-proxy', 'may go to the process of kube-proxy'],
  [[{ kind: 'unknown', reason: '' }], 'have an unknown outcome', 'may have an unknown outcome'],
])('formatOutcomes writes %j for both certainties', (outcomes, certain, possible) => {
  const paths = outcomes.map((outcome): TracePath => ({ ...PATH, outcome }))
  expect([formatOutcomes(paths), formatOutcomes(paths, 'possible')]).toEqual([certain, possible])
})

const PATH = { weight: '1', probability: 1, assumptions: [], steps: [] } as const

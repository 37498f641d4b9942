import { describe, expect, it } from 'vitest'
import { createEngine } from '../../src/engine/engine.js'
import { DEFAULT_REQUEST } from '../../src/question/playground-request.js'
import { MANIFEST } from '../support/pastes.js'

function stepsFor(objects: string): readonly string[] {
  const { diagnoses } = createEngine().answer('packet', { ...DEFAULT_REQUEST, objects, packet: 'web' })
  const steps = diagnoses.flatMap(({ children }) => children.filter(({ kind }) => kind === 'steps'))
  return steps.flatMap(({ children }) =>
    children.flatMap(({ label, children: below }) => [label, ...below.map((each) => each.label)]),
  )
}

describe('the advice for a Service without endpoints', () => {
  it('is to scale its workload, if that has 0 replicas', () => {
    expect(stepsFor(MANIFEST.replace('replicas: 3', 'replicas: 0')).slice(0, 2)).toEqual([
      '1. Scale Deployment default/web with kubectl:',
      'kubectl -n default scale deployment web --replicas=1',
    ])
  })

  it('is to start a pod, if no workload has the labels', () => {
    expect(
      stepsFor(MANIFEST.replace('matchLabels', 'none').replaceAll('      labels:\n        app: web', ''))[0],
    ).toMatch(/^1\. Start a pod that has the labels app=web/)
  })
})

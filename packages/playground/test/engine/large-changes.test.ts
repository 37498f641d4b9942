import { expect, it } from 'vitest'
import { createEngine } from '../../src/engine/engine.js'
import { DEFAULT_REQUEST } from '../../src/question/playground-request.js'

const SERVICES = 1_000

const objects = Array.from({ length: SERVICES }, (_, index) => {
  const [high, low] = [index >> 8, (index & 255) + 1]
  return `apiVersion: v1
kind: Service
metadata: { name: s${index}, namespace: default }
spec: { clusterIP: 10.96.${high}.${low}, ports: [{ port: 80 }] }
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: { name: s${index}-a, namespace: default, labels: { kubernetes.io/service-name: s${index} } }
addressType: IPv4
ports: [{ port: 8080 }]
endpoints: [{ addresses: [10.244.${high}.${low}] }]
`
}).join('---\n')

it('an engine describes consecutive edits of one of 1,000 Services separately', () => {
  const engine = createEngine()
  const sentencesOf = (number: number) => {
    const edited = objects.replace('10.244.1.77]', `10.244.9.${number}]`)
    const { groups } = engine.answer('change', { ...DEFAULT_REQUEST, before: objects, objects: edited })
    return groups.map(({ sentence }) => sentence)
  }
  for (const number of [1, 2, 3, 4]) {
    expect(sentencesOf(number)).toEqual([`endpoint 10.244.1.77 → 10.244.9.${number}`])
  }
})

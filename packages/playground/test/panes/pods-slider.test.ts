import { describe, expect, it } from 'vitest'
import { findReplicas } from '../../src/panes/pods-slider.js'

describe('findReplicas', () => {
  it.each([
    ['a line of YAML', 'spec:\n  replicas: 3\n', '3'],
    ['a flow mapping', 'spec: { replicas: 0, selector: {} }', '0'],
    ['JSON', '{"spec": {"replicas": 10}}', '10'],
    ['Windows line ends', 'spec:\r\n  replicas: 3\r\n', '3'],
    ['the end of the text', 'replicas: 7', '7'],
  ])('finds the number of replicas in the objects: %s', (_, text, number) => {
    const found = findReplicas(text)
    expect(found?.replicas).toBe(Number(number))
    expect(text.slice(found?.from, found?.to)).toBe(number)
  })

  it.each([
    ['no replicas', 'kind: Service\n'],
    ['several workloads', 'replicas: 1\n---\nreplicas: 2\n'],
    ['more pods than the slider allows', 'replicas: 11\n'],
    ['a comment', '# replicas: 3\n'],
    ['a field with a similar name', 'readyReplicas: 3\n'],
    ['another value', 'replicas: three\n'],
    ['a decimal number', 'replicas: 3.5\n'],
    ['a long text', `replicas: 3\n${' '.repeat(100_000)}`],
  ])('finds no number of replicas in the objects: %s', (_, text) => {
    expect(findReplicas(text)).toBeUndefined()
  })
})

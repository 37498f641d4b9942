import { describe, expect, it } from 'vitest'
import { chooseNode } from '../../src/cluster/choose-node.js'

const nodes = ['b', 'a', 'c'].map((name) => ({ metadata: { name } }))

describe('chooseNode', () => {
  it('prefers the given name to that of the configuration', () => {
    const configuration = { hostnameOverride: 'c' }
    expect(chooseNode(nodes, 'b', configuration)).toEqual({ name: 'b', isGuess: false, notes: [] })
    expect(chooseNode(nodes, undefined, configuration)).toEqual({ name: 'c', isGuess: false, notes: [] })
  })

  it('takes the first of several Nodes by name, with a note', () => {
    expect(chooseNode(nodes, undefined, { hostnameOverride: '' })).toEqual({
      name: 'a',
      isGuess: true,
      notes: ['rules of node a, the first of 3 Nodes; --node selects another'],
    })
  })

  it('leaves the choice to the compiler if there is no Node or only one', () => {
    expect(chooseNode([], undefined, undefined).name).toBeUndefined()
    expect(chooseNode(nodes.slice(1, 2), undefined, undefined).name).toBeUndefined()
  })
})

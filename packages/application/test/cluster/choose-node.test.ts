import { describe, expect, it } from 'vitest'
import { chooseNode } from '../../src/cluster/choose-node.js'

const nodes = ['b', 'a', 'c'].map((name) => ({ metadata: { name } }))

describe('chooseNode', () => {
  it('prefers the given name to that of the configuration', () => {
    const configuration = { hostnameOverride: 'c' }
    expect(chooseNode(nodes, 'b', configuration)).toEqual({ name: 'b', isUnnamed: false, notes: [] })
    expect(chooseNode(nodes, undefined, configuration)).toEqual({ name: 'c', isUnnamed: false, notes: [] })
  })

  it('takes the first of several Nodes by name, with a note', () => {
    expect(chooseNode(nodes, undefined, { hostnameOverride: '' })).toEqual({
      name: 'a',
      isUnnamed: true,
      notes: ['rules of node a, the first of 3 Nodes; --node selects another'],
    })
  })

  it('takes the only Node with an address of the dump', () => {
    const withAddress = (name: string, address: string) => ({
      metadata: { name },
      status: { addresses: [{ type: 'InternalIP', address }] },
    })
    const three = [withAddress('b', '192.0.2.2'), withAddress('a', '192.0.2.1'), withAddress('c', '2001:db8::0:3')]
    const chosen = { isUnnamed: true }
    expect(chooseNode(three, undefined, undefined, ['127.0.0.1', '192.0.2.2'])).toEqual({
      ...chosen,
      name: 'b',
      notes: ['rules of node b, because the dump has its address 192.0.2.2; --node selects another'],
    })
    expect(chooseNode(three, undefined, undefined, ['2001:db8::3']).name).toBe('c')
    expect(chooseNode(three, 'a', undefined, ['192.0.2.2'])).toMatchObject({ name: 'a', notes: [] })
    for (const unclear of [[], ['192.0.2.9'], ['192.0.2.1', '192.0.2.2']]) {
      const notes = ['rules of node a, the first of 3 Nodes; --node selects another']
      expect(chooseNode(three, undefined, undefined, unclear)).toEqual({ ...chosen, name: 'a', notes })
    }
  })

  it('leaves the choice to the compiler if there is no Node or only one', () => {
    expect(chooseNode([], undefined, undefined).name).toBeUndefined()
    expect(chooseNode(nodes.slice(1, 2), undefined, undefined).name).toBeUndefined()
  })
})

import { expect, it } from 'vitest'
import { compile } from '../../../../compiler/src/compilation/compile.js'
import { at, service, slice } from '../../../../compiler/test/support/objects.js'
import { printStateLines } from '../../../src/dataplane/iptables/print-state-lines.js'

it.each(['save', 'restore'] as const)(
  'the declaration of a chain has the same owner as the chain, in the format of iptables-%s',
  (format) => {
    const input = { services: [service()], endpointSlices: [slice(at('10.244.1.1'))] }
    const [family] = compile(input, { families: ['IPv4'], nodeName: 'node-1' }).families
    const state = family?.state.iptables
    if (state === undefined) throw new Error('there are no rules of iptables')
    const lines = printStateLines(state, { format, backend: 'nft' }, (text, { owner }) => [text, owner], new WeakMap())
    const owners = (start: RegExp) => [
      ...new Set(lines.flatMap(([text = '', owner]) => (start.test(text) ? owner : []))),
    ]
    expect(owners(/^:KUBE-(?:SVC|SEP)-/)).toEqual(['ns1/web:http/TCP'])
    expect(owners(/^:KUBE-SERVICES /)).toEqual([''])
  },
)

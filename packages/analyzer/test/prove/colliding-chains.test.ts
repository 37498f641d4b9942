import { describe, expect, it, vi } from 'vitest'
import { compile } from '../../../compiler/src/compilation/compile.js'
import { print } from '../../../compiler/src/print/print.js'
import { COLLIDING_CLUSTERS, COLLIDING_OPTIONS } from '../../../compiler/test/support/colliding-clusters.js'
import { compare } from '../../src/compare/compare.js'
import { parseDump } from '../../src/dump/parse-dump.js'
import { prove } from '../../src/prove/prove.js'
import { trace } from '../../src/trace/trace.js'
import { verify } from '../../src/verify/verify.js'

vi.mock('../../../compiler/src/internal/hash.js', async (importOriginal) => {
  const { withCollidingHashes } = await import('../../../compiler/test/support/colliding-hashes.js')
  return withCollidingHashes(await importOriginal<typeof import('../../../compiler/src/internal/hash.js')>())
})

type Name = keyof typeof COLLIDING_CLUSTERS

const NODE_ADDRESSES = { addresses: ['192.168.0.2'] }

describe.each(['1.20', '1.24', '1.34'])('service ports with one chain in %s', (kubernetesVersion) => {
  const compiled = (name: Name) => compile(COLLIDING_CLUSTERS[name], { ...COLLIDING_OPTIONS, kubernetesVersion })
  const stateOf = (name: Name) => compiled(name).families[0]?.state ?? { family: 'IPv4' as const }
  const dumpOf = (name: Name) => {
    const dump = parseDump(print(stateOf(name), { format: 'save' }))
    if (!dump.ok) throw new Error('the text of a state is valid')
    return dump.value
  }

  it('send the packets of the second one to the endpoint of the first one', () => {
    const destination = '10.0.0.2'
    const packet = { source: '10.244.9.9', destination, destinationPort: 80, protocol: 'TCP', origin: 'pod' } as const
    const [path, ...others] = trace(stateOf('both'), packet)
    expect(path?.outcome).toMatchObject({ kind: 'delivered', address: '10.244.1.1', port: 8080 })
    expect(others).toEqual([])
    expect(trace(stateOf('second'), packet)[0]?.outcome).toMatchObject({ kind: 'delivered', address: '10.244.1.2' })
  })

  it('are handled by the compiled state as by the dump of the same text', () => {
    const { IPv4 } = dumpOf('both')
    expect(compare(stateOf('both'), IPv4 ?? { family: 'IPv4' }, NODE_ADDRESSES).equal).toBe(true)
  })

  it('have no drift on a node with the text', () => {
    expect(verify(compiled('both'), dumpOf('both'), { complete: true }).verdict).toBe('noDrift')
    expect(verify(compiled('both'), dumpOf('first'), { complete: true }).verdict).toBe('drift')
  })

  it('refute the proof', () => {
    expect(prove(compiled('first')).map(({ verdict }) => verdict)).toEqual(['proven'])
    const [proof] = prove(compiled('both'))
    expect(proof?.verdict).toBe('refuted')
    expect(proof?.counterexamples.map(({ packet }) => packet.destination)).toContain('10.0.0.2')
  })

  it('are compared with each other by their merged rules', () => {
    const { differences } = compare(stateOf('second'), stateOf('both'), NODE_ADDRESSES)
    const atSecond = differences.filter(({ packet }) => packet.destination === '10.0.0.2')
    expect(atSecond.map(({ b }) => Object.keys(b.outcomes).join()).join()).toMatch(/^10\.244\.1\.1:8080/)
  })
})
